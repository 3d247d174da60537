// Words that tell content from surroundings, with weights learnt offline: words of the text ("subscribe",
// "related", "however") and words of class and id attributes ("sidebar", "entry", "crumb"). A word is
// looked up by its hash, so that neither tables nor comparisons need copies.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "extract/content/byte_masks.h"

namespace quarry::extract {

// Words as numbers: tables of words, and comparisons of texts word by word, need no copies of them.

// A hash that is blind to ASCII case. It takes eight bytes at a time, because most words have no more.
class WordHash {
public:
    constexpr explicit WordHash(std::string_view word) {
        const char* at = word.data();
        std::size_t left = word.size();
        std::uint64_t state = begin(left);
        for (; left > 8; at += 8, left -= 8) state = mix(state, read(at, 8));
        value_ = end(mix(state, read(at, left)));
    }

    // The same for a word whose last byte has seven bytes before it that may be read, be they its own or not.
    static WordHash of_ending(const char* word, std::size_t size) {
        const char* last_eight = word + size - 8;
        std::uint64_t state = begin(size);
        for (; size > 8; word += 8, size -= 8) state = mix(state, read_whole(word));
        return WordHash(end(mix(state, read_whole(last_eight) >> (64 - 8 * size))));
    }

    constexpr std::uint32_t value() const { return value_; }

private:
    constexpr explicit WordHash(std::uint32_t value) : value_(value) {}

    static constexpr std::uint64_t begin(std::size_t size) { return size * 0xD6E8FEB86659FD93U; }
    static constexpr std::uint64_t mix(std::uint64_t state, std::uint64_t bytes) {
        constexpr std::uint64_t small_letters = 0x2020202020202020;
        state = (state ^ (bytes | small_letters)) * 0x9E3779B97F4A7C15U;
        return state ^ state >> 32;
    }
    static constexpr std::uint32_t end(std::uint64_t state) { return static_cast<std::uint32_t>(state); }

    static std::uint64_t read_whole(const char* bytes) {
        static_assert(std::endian::native == std::endian::little);
        std::uint64_t word;
        std::memcpy(&word, bytes, sizeof word);
        return word;
    }

    // At most eight bytes, the first one lowest.
    static constexpr std::uint64_t read(const char* bytes, std::size_t size) {
        if (!std::is_constant_evaluated()) return read_bytes(bytes, size);
        std::uint64_t word = 0;
        for (std::size_t at = size; at-- > 0;) word = word << 8 | static_cast<unsigned char>(bytes[at]);
        return word;
    }

    std::uint32_t value_;
};

// Calls `found` with the hash of each run of letters and digits; bytes beyond ASCII are taken for letters.
template <typename Found>
void each_word(std::string_view text, Found found) {
    const auto is_word_byte = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c & 0x80) != 0;
    };
    const char* const end = text.data() + text.size();
    for (const char* at = text.data(); at != end;) {
        if (!is_word_byte(*at)) {
            ++at;
            continue;
        }
        const char* const start = at;
        while (at != end && is_word_byte(*at)) ++at;
        found(WordHash({start, at}));
    }
}

// Words that tell content from surroundings, with weights learnt offline: words of the text ("subscribe",
// "related", "however") and words of class and id attributes ("sidebar", "entry", "crumb").

struct WeightedWord {
    std::string_view word{};
    std::int8_t weight = 0;  // positive speaks for content
};

// A fixed map from words to weights. Words are looked up by the thousand and about every second one is in it,
// so a look-up has no branches: a word is in its bucket of four or nowhere.
class WordWeights {
public:
    explicit WordWeights(std::span<const WeightedWord> words);

    // 0 for a word that is not in the map.
    int operator[](WordHash word) const {
        const Bucket& bucket = buckets_.data()[place(word)];  // there are 1 << (32 - shift_)
        std::uint32_t found = 0;
        for (const std::uint32_t slot : bucket) {
            found |= ((slot ^ word.value()) & hash_bits) == 0 ? slot : 0;
        }
        return static_cast<std::int8_t>(found);
    }

private:
    // A slot is a word's hash with the weight in place of the lowest byte, or 0. The lowest byte takes part
    // in choosing the bucket.
    static constexpr std::uint32_t hash_bits = 0xFFFFFF00;
    using Bucket = std::array<std::uint32_t, 4>;

    std::size_t place(WordHash word) const { return word.value() * multiplier_ >> shift_; }
    bool insert(std::span<const WeightedWord> words);

    std::vector<Bucket> buckets_;
    std::uint32_t multiplier_ = 1;
    unsigned shift_ = 0;
};

struct Vocabulary {
    WordWeights text_words;
    WordWeights name_words;
};

// The vocabulary the built-in model was trained with.
const Vocabulary& learnt_vocabulary();

}  // namespace quarry::extract
