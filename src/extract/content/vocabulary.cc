#include "extract/content/vocabulary.h"

#include <algorithm>
#include <bit>

namespace quarry::extract {

namespace {

#include "extract/content/vocabulary.inc"

}  // namespace

// Tries one way after the other to spread the words over the buckets until none overflows; with as many
// buckets as words about every second way does.
WordWeights::WordWeights(std::span<const WeightedWord> words) {
    constexpr int tries_per_size = 64;
    unsigned bits = static_cast<unsigned>(std::bit_width(words.size() | 1));
    for (int tries = 1;; ++tries) {
        buckets_.assign(std::size_t{1} << bits, {});
        shift_ = 32 - bits;
        multiplier_ = multiplier_ * 0x2C9277B5U | 1;
        if (insert(words)) return;
        if (tries % tries_per_size == 0) ++bits;
    }
}

bool WordWeights::insert(std::span<const WeightedWord> words) {
    for (const WeightedWord& entry : words) {
        if (entry.weight == 0) continue;
        const WordHash word(entry.word);
        Bucket& bucket = buckets_[place(word)];
        const auto slot = std::ranges::find_if(bucket, [&](std::uint32_t taken) {
            return taken == 0 || ((taken ^ word.value()) & hash_bits) == 0;
        });
        if (slot == bucket.end()) return false;
        *slot = (word.value() & hash_bits) | static_cast<std::uint8_t>(entry.weight);
    }
    return true;
}

const Vocabulary& learnt_vocabulary() {
    static const Vocabulary vocabulary{WordWeights(text_words), WordWeights(name_words)};
    return vocabulary;
}

}  // namespace quarry::extract
