// Words that tell content from surroundings, with weights learnt offline: words of the text ("subscribe",
// "related", "however") and words of class and id attributes ("sidebar", "entry", "crumb").
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "extract/content/vocabulary.h"

namespace quarry::extract {

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
