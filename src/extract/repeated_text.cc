#include "extract/repeated_text.h"

#include <array>
#include <bit>

#include "extract/vocabulary.h"

namespace quarry::extract {

using html::NodeId;
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
        std::size_t at = (hash >> 20) & (slots_.size() - 1);
        while (slots_[at].hash != 0 && slots_[at].hash != hash) at = (at + 1) & (slots_.size() - 1);
        if (slots_[at].hash == hash) return slots_[at].block < block;
        --left_;
        slots_[at] = {hash, block};
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

class RepeatFinder {
public:
    RepeatFinder(const PageView& page, std::vector<std::uint8_t>& chosen)
        : page_(page), chosen_(chosen), seen_(count_words()) {}

    void run() {
        for (std::size_t at = 0; at < chosen_.size(); ++at) {
            if (chosen_[at] == 0) continue;
            ++chosen_so_far_;
            if (is_repeated(page_.blocks.list[at])) add_to_row(at);
        }
        drop_row();
    }

private:
    std::size_t count_words() const {
        std::size_t words = 0;
        for (std::size_t at = 0; at < chosen_.size(); ++at) {
            if (chosen_[at] != 0) words += page_.blocks.list[at].text.words + 1;
        }
        return words;
    }

    // Remembers the block's runs of four words; true if nearly all were known.
    bool is_repeated(const Block& block) {
        constexpr std::size_t length = 4;
        std::array<std::uint64_t, length> last{};
        std::size_t words = 0, runs = 0, known = 0;
        for (NodeId id = block.first; id <= block.last; ++id) {
            if (!page_.tree.is_text(id)) continue;
            each_word(page_.tree[id].text, [&](WordHash word) {
                last[words++ % length] = word.value();
                if (words < length) return;
                std::uint64_t run = 0;
                for (std::size_t step = 0; step < length; ++step) {
                    run = (run + last[(words + step) % length]) * 0x9E3779B97F4A7C15U;
                }
                ++runs;
                known += seen_.insert(run, chosen_so_far_);
            });
        }
        constexpr std::size_t fewest_words = 8;
        return words >= fewest_words && !is_reference(block) && 5 * known >= 4 * runs;
    }

    bool is_reference(const Block& block) const {
        constexpr html::TagSet reference{Tag::pre, Tag::dd, Tag::td};
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

    // A sentence said twice is style; a passage said twice is a second copy.
    void drop_row() {
        constexpr std::uint32_t passage_words = 60;
        if (row_words_ >= passage_words) {
            for (const std::size_t at : row_) chosen_[at] = 0;
        }
        row_.clear();
        row_words_ = 0;
    }

    const PageView& page_;
    std::vector<std::uint8_t>& chosen_;
    HashSet seen_;
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
