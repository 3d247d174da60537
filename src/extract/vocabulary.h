// Words that tell content from surroundings, with weights learnt offline: words of the text ("subscribe",
// "related", "however") and words of class and id attributes ("sidebar", "entry", "crumb").
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace quarry::extract {

// A case-blind hash that is fed byte by byte, so that scanners need no copy of the word.
class WordHash {
public:
    constexpr WordHash() = default;
    constexpr explicit WordHash(std::string_view word) {
        for (const char c : word) add(c);
    }
    constexpr void add(char c) { value_ = (value_ ^ (static_cast<unsigned char>(c) | 0x20U)) * 16'777'619U; }
    constexpr std::uint32_t value() const { return value_; }

private:
    std::uint32_t value_ = 2'166'136'261U;
};

// Calls `found` with the hash of each run of letters and digits; bytes beyond ASCII are taken for letters.
template <typename Found>
void each_word(std::string_view text, Found found) {
    const auto is_word_byte = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c & 0x80) != 0;
    };
    std::size_t at = 0;
    while (at < text.size()) {
        if (!is_word_byte(text[at])) {
            ++at;
            continue;
        }
        WordHash hash;
        while (at < text.size() && is_word_byte(text[at])) hash.add(text[at++]);
        found(hash);
    }
}

struct WeightedWord {
    std::string_view word{};
    std::int8_t weight = 0;  // positive speaks for content
};

// A fixed map from words to weights.
class WordWeights {
public:
    explicit WordWeights(std::span<const WeightedWord> words);

    // 0 for a word that is not in the map.
    int operator[](WordHash word) const {
        for (std::size_t at = word.value() & mask_; slots_[at].weight != 0; at = (at + 1) & mask_) {
            if (slots_[at].hash == word.value()) return slots_[at].weight;
        }
        return 0;
    }

private:
    struct Slot {
        std::uint32_t hash = 0;
        std::int32_t weight = 0;  // 0 marks a free slot
    };
    std::vector<Slot> slots_;
    std::size_t mask_ = 0;
};

struct Vocabulary {
    WordWeights text_words;
    WordWeights name_words;
};

// The vocabulary the built-in model was trained with.
const Vocabulary& learnt_vocabulary();

}  // namespace quarry::extract
