#include "crawl/near_duplicates.h"

#define XXH_INLINE_ALL

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <utility>

#include <xxhash.h>

namespace quarry::crawl {

namespace {

constexpr int fewest_words = 30;
constexpr std::size_t longest_end = 256 << 10;

enum ByteClass : unsigned char {
    separator,
    word,         // a letter, a digit, or a byte of one
    punctuation,  // the first byte of a character between U+2000 and U+2FFF
    ideograph,    // the first byte of one between U+3000 and U+9FFF: Chinese, Japanese
};

constexpr std::array<ByteClass, 256> build_classes() {
    std::array<ByteClass, 256> classes{};
    for (unsigned c = '0'; c <= '9'; ++c) classes[c] = word;
    for (unsigned c = 'a'; c <= 'z'; ++c) classes[c] = classes[c - 32] = word;
    for (unsigned c = 0x80; c <= 0xFF; ++c) classes[c] = word;
    classes[0xE2] = punctuation;
    for (unsigned c = 0xE3; c <= 0xE9; ++c) classes[c] = ideograph;
    return classes;
}

constexpr auto classes = build_classes();

ByteClass class_at(std::string_view text, std::size_t at) {
    return classes[static_cast<unsigned char>(text[at])];
}

// How many of the hashes added have each bit set. Counts stand upright, one bit of all 64 of them in each
// plane, and hashes are added by eights (Harley and Seal's counter): seven full adders and one carry instead
// of 512 additions.
class BitCounts {
public:
    void add(std::uint64_t bits) {
        waiting_[waiting_count_++] = bits;
        if (waiting_count_ == waiting_.size()) add_eight();
    }

    // The bits that more than half of the hashes have.
    std::uint64_t majority() {
        for (std::size_t i = 0; i < waiting_count_; ++i) carry_up(waiting_[i], 0);
        added_ += std::exchange(waiting_count_, 0);
        std::uint64_t bits = 0;
        for (unsigned bit = 0; bit < 64; ++bit) {
            std::uint64_t count = 0;
            for (std::size_t plane = 0; plane < planes_.size(); ++plane)
                count |= (planes_[plane] >> bit & 1) << plane;
            if (count * 2 > added_) bits |= std::uint64_t{1} << bit;
        }
        return bits;
    }

private:
    // Adds two to the plane; returns what is carried into the next.
    static std::uint64_t add_two(std::uint64_t& plane, std::uint64_t one, std::uint64_t other) {
        const std::uint64_t half = plane ^ one;
        const std::uint64_t carry = (plane & one) | (half & other);
        plane = half ^ other;
        return carry;
    }

    void add_eight() {
        const auto& each = waiting_;
        auto& ones = planes_[0];
        auto &twos = planes_[1], &fours = planes_[2];
        const std::uint64_t first = add_two(ones, each[0], each[1]), second = add_two(ones, each[2], each[3]);
        const std::uint64_t third = add_two(ones, each[4], each[5]), fourth = add_two(ones, each[6], each[7]);
        const std::uint64_t low = add_two(twos, first, second), high = add_two(twos, third, fourth);
        carry_up(add_two(fours, low, high), 3);
        added_ += each.size();
        waiting_count_ = 0;
    }

    void carry_up(std::uint64_t bits, std::size_t plane) {
        for (; bits != 0; ++plane) bits = std::exchange(planes_[plane], planes_[plane] ^ bits) & bits;
    }

    std::array<std::uint64_t, 32> planes_{};  // for more hashes than 512 KB of text have
    std::array<std::uint64_t, 8> waiting_{};
    std::size_t waiting_count_ = 0;
    std::uint64_t added_ = 0;
};

// The finalizer of MurmurHash3: every bit of the input moves every bit of the output.
std::uint64_t mixed(std::uint64_t hash) {
    hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccd;
    hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53;
    return hash ^ hash >> 33;
}

// The next eight bytes, or as many as there are. Setting bit 5 puts ASCII letters into lower case and leaves
// digits alone; what it does to other bytes it does everywhere.
std::uint64_t eight_bytes(std::string_view text, std::size_t at, std::size_t count) {
    std::uint64_t bytes = 0;
    if (at + 8 <= text.size()) {
        std::memcpy(&bytes, text.data() + at, 8);
        if (count < 8) bytes &= (std::uint64_t{1} << 8 * count) - 1;
    } else {
        std::memcpy(&bytes, text.data() + at, std::min<std::size_t>(count, 8));
    }
    return bytes | 0x2020202020202020;
}

constexpr std::uint64_t every_byte = 0x0101010101010101, high_bits = 0x80 * every_byte;

// How many of eight ASCII bytes, from the first, are letters or digits. Comparing all eight at once spares a
// mispredicted branch at the end of every word. Adding to a byte below 128 sets its high bit, and carries
// into no other, if it was at least 128 less what is added.
std::size_t leading_word_bytes(std::uint64_t bytes) {
    const auto at_least = [](std::uint64_t each, unsigned low) { return each + (0x80 - low) * every_byte; };
    const std::uint64_t lower = bytes | 0x20 * every_byte;
    const std::uint64_t letters = at_least(lower, 'a') & ~at_least(lower, 'z' + 1);
    const std::uint64_t digits = at_least(bytes, '0') & ~at_least(bytes, '9' + 1);
    return static_cast<std::size_t>(std::countr_zero(~(letters | digits) & high_bits)) / 8;
}

// The end of the word that begins here; here if none does.
std::size_t end_of_word(std::string_view text, std::size_t at) {
    while (at + 8 <= text.size()) {
        std::uint64_t bytes = 0;
        std::memcpy(&bytes, text.data() + at, 8);
        if ((bytes & high_bits) != 0) break;
        const std::size_t count = leading_word_bytes(bytes);
        at += count;
        if (count < 8) return at;
    }
    while (at < text.size() && class_at(text, at) == word) ++at;
    return at;
}

class Shingles {
public:
    void read(std::string_view text) {
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t start = at;
            at = end_of_word(text, at);
            if (at > start) add_word(text, start, at);
            if (at < text.size()) at = behind_other(text, at);
        }
    }

    std::uint64_t hash() {
        return words_ < fewest_words ? 0 : std::max<std::uint64_t>(1, counts_.majority());
    }

private:
    // Behind what is no word, or is one by itself.
    std::size_t behind_other(std::string_view text, std::size_t at) {
        const ByteClass kind = class_at(text, at);
        if (kind == separator) return text[at] == ']' ? behind_link(text, at) : at + 1;
        const std::size_t end = std::min(at + 3, text.size());
        if (kind == ideograph) add_word(text, at, end);
        return end;
    }

    // Behind "](target)" if the text has that here: where a link leads is no part of what a page says.
    static std::size_t behind_link(std::string_view text, std::size_t at) {
        if (text.substr(at, 2) != "](") return at + 1;
        return std::min(text.find_first_of(") \n", at), text.size());
    }

    void add_word(std::string_view text, std::size_t at, std::size_t end) {
        std::uint64_t hash = 0;
        for (; at < end; at += 8) hash = (hash ^ eight_bytes(text, at, end - at)) * 0x9E3779B97F4A7C15;
        hash ^= hash >> 32;
        ++words_;
        if (words_ >= 3)
            add_shingle(mixed(hash + std::rotl(last_, 21) * 3 + std::rotl(before_last_, 42) * 5));
        before_last_ = std::exchange(last_, hash);
    }

    // Each shingle counts once. A table whose cells repeat would else outweigh all that tells two pages of a
    // reference apart. Some are taken for repeated that are not; for the same text always the same ones.
    void add_shingle(std::uint64_t hash) {
        std::uint64_t& seen = seen_[hash >> 54];
        const std::uint64_t bit = std::uint64_t{1} << (hash >> 48 & 63);
        if ((seen & bit) != 0) return;
        seen |= bit;
        counts_.add(hash);
    }

    BitCounts counts_;
    std::array<std::uint64_t, 1024> seen_{};
    std::uint64_t last_ = 0, before_last_ = 0;
    int words_ = 0;
};

}  // namespace

std::uint64_t simhash(std::string_view text) {
    Shingles shingles;
    if (text.size() <= 2 * longest_end) {
        shingles.read(text);
    } else {
        shingles.read(text.substr(0, longest_end));
        shingles.read(text.substr(text.size() - longest_end));
    }
    return shingles.hash();
}

int simhash_distance(std::uint64_t one, std::uint64_t other) {
    return std::popcount(one ^ other);
}

namespace {

constexpr std::size_t band_values = 1 << 16;
constexpr int most_compared = 256;  // in each band

std::size_t band_of(std::uint64_t hash, std::size_t band) {
    return hash >> (16 * band) & (band_values - 1);
}

}  // namespace

NearDuplicates::NearDuplicates(std::size_t capacity) : capacity_(std::max<std::size_t>(1, capacity)) {
    for (auto& band : latest_) band.resize(band_values);
}

const NearDuplicates::Entry* NearDuplicates::entry(Number number) const {
    const bool alive = number != 0 && last_ - number < capacity_;
    return alive ? &entries_[number % capacity_] : nullptr;
}

const NearDuplicates::Entry* NearDuplicates::find(const Entry& page) const {
    for (std::size_t band = 0; band < bands; ++band) {
        const Entry* candidate = entry(latest_[band][band_of(page.hash, band)]);
        for (int i = 0; candidate != nullptr && i < most_compared; ++i) {
            const int allowed =
                candidate->title == page.title ? largest_distance : largest_distance_of_others;
            if (candidate->page != page.page && simhash_distance(candidate->hash, page.hash) <= allowed)
                return candidate;
            candidate = entry(candidate->before[band]);
        }
    }
    return nullptr;
}

void NearDuplicates::remember(Entry page) {
    ++last_;
    for (std::size_t band = 0; band < bands; ++band)
        page.before[band] = std::exchange(latest_[band][band_of(page.hash, band)], last_);
    const std::size_t slot = last_ % capacity_;
    if (slot >= entries_.size()) entries_.resize(slot + 1);
    entries_[slot] = page;
}

std::optional<UrlKey> NearDuplicates::add(std::uint64_t hash, std::string_view title, const UrlKey& page) {
    if (hash == 0) return std::nullopt;
    const Entry added{.hash = hash, .title = XXH3_64bits(title.data(), title.size()), .page = page};
    if (const Entry* near = find(added)) return near->page;
    remember(added);
    return std::nullopt;
}

}  // namespace quarry::crawl
