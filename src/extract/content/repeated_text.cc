#include "extract/content/repeated_text.h"

#include <bit>
#include <span>

namespace quarry::extract {

using html::Tag;

namespace {

// A set of hashes that never grows: it is made for the number of words that were counted, and knows no more.
class HashSet {
public:
    explicit HashSet(std::size_t most) : slots_(std::bit_ceil(2 * most + 2)), left_(most) {}

    // True if an earlier block brought the hash. Within one block a refrain is no second copy.
    bool insert(std::uint64_t hash, std::uint32_t block) {
        if (left_ == 0) return false;
        hash |= 1;  // 0 marks a free slot
        const std::size_t mask = slots_.size() - 1;
        Slot* const slots = slots_.data();  // no index is greater than the mask
        std::size_t at = (hash >> 32) & mask;
        while (slots[at].hash != 0 && slots[at].hash != hash) at = (at + 1) & mask;
        if (slots[at].hash == hash) return slots[at].block < block;
        --left_;
        slots[at] = {hash, block};
        return false;
    }

private:
    struct Slot {
        std::uint64_t hash = 0;
        std::uint32_t block = 0;
    };

    std::vector<Slot> slots_;
    std::size_t left_;
};

// Calls `found` with a hash of each run of four words.
template <typename Found>
void each_run(std::span<const std::uint32_t> words, Found found) {
    constexpr std::size_t length = 4;
    const std::uint32_t* run = words.data();
    for (std::size_t left = words.size(); left >= length; --left, ++run) {
        found(run[0] * 0x9E3779B97F4A7C15U + run[1] * 0xC2B2AE3D27D4EB4FU + run[2] * 0x165667B19E3779F9U +
              run[3] * 0xD6E8FEB86659FD93U);
    }
}

// Shorter blocks are labels: they repeat without being copies of anything.
constexpr std::size_t fewest_words = 8;
// A sentence said twice is style; a passage said twice is a second copy.
constexpr std::uint32_t passage_words = 60;

bool is_mostly_known(std::size_t known, std::size_t runs) {
    return 5 * known >= 4 * runs;
}

class RepeatFinder {
public:
    RepeatFinder(const PageView& page, std::vector<std::uint8_t>& chosen) : page_(page), chosen_(chosen) {}

    void run() {
        if (!may_have_copies()) return;
        HashSet seen(count_words());
        for (std::size_t at = 0; at < chosen_.size(); ++at) {
            if (chosen_[at] == 0) continue;
            ++chosen_so_far_;
            if (is_repeated(page_.blocks.list[at], seen)) add_to_row(at);
        }
        drop_row();
    }

private:
    std::size_t count_words() const {
        std::size_t words = 0;
        for (std::size_t at = 0; at < chosen_.size(); ++at) {
            if (chosen_[at] != 0) words += page_.blocks.words_of(page_.blocks.list[at]).size();
        }
        return words;
    }

    // Nearly all pages repeat nothing, and few bits per word show it: a run is new if its bit was not set.
    // The bit of a run that is new may be set too, so this finds all that is repeated and a little more.
    bool may_have_copies() const {
        constexpr std::size_t bits_per_word = 16;
        std::vector<std::uint64_t> bits(std::bit_ceil(count_words() * bits_per_word / 64 + 1));
        const std::size_t mask = bits.size() - 1;
        std::uint32_t suspect_words = 0;
        for (std::size_t at = 0; at < chosen_.size(); ++at) {
            if (chosen_[at] == 0) continue;
            const auto words = page_.blocks.words_of(page_.blocks.list[at]);
            std::size_t runs = 0, known = 0;
            each_run(words, [&](std::uint64_t run) {
                std::uint64_t& word = bits.data()[(run >> 40) & mask];
                const std::uint64_t bit = std::uint64_t{1} << (run >> 34 & 63);
                known += (word & bit) != 0;
                word |= bit;
                ++runs;
            });
            if (words.size() >= fewest_words && is_mostly_known(known, runs))
                suspect_words += page_.blocks.list[at].text.words;
        }
        return suspect_words >= passage_words;
    }

    // Remembers the block's runs of words; true if nearly all were known.
    bool is_repeated(const Block& block, HashSet& seen) const {
        std::size_t runs = 0, known = 0;
        const auto words = page_.blocks.words_of(block);
        each_run(words, [&](std::uint64_t run) {
            ++runs;
            known += seen.insert(run, chosen_so_far_);
        });
        return words.size() >= fewest_words && !is_reference(block) && is_mostly_known(known, runs);
    }

    bool is_reference(const Block& block) const {
        static constexpr html::TagSet reference{Tag::pre, Tag::dd, Tag::td};
        return reference.contains(page_.tree[block.container].tag) ||
               page_.surroundings[page_.innermost(block)].in(Region::preformatted);
    }

    // Repeated blocks that follow each other, with a heading or two between them, make a row.
    void add_to_row(std::size_t at) {
        constexpr std::size_t widest_gap = 3;
        if (!row_.empty() && chosen_so_far_ - row_end_ > widest_gap) drop_row();
        row_.push_back(at);
        row_words_ += page_.blocks.list[at].text.words;
        row_end_ = chosen_so_far_;
    }

    void drop_row() {
        if (row_words_ >= passage_words) {
            for (const std::size_t at : row_) chosen_[at] = 0;
        }
        row_.clear();
        row_words_ = 0;
    }

    const PageView& page_;
    std::vector<std::uint8_t>& chosen_;
    std::vector<std::size_t> row_;
    std::uint32_t row_words_ = 0;
    std::uint32_t row_end_ = 0;
    std::uint32_t chosen_so_far_ = 0;
};

}  // namespace

void drop_repeated_text(const PageView& page, std::vector<std::uint8_t>& chosen) {
    RepeatFinder(page, chosen).run();
}

}  // namespace quarry::extract
