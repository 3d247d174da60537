#include "extract/vocabulary.h"

#include <bit>

namespace quarry::extract {

namespace {

#include "extract/vocabulary.inc"

}  // namespace

WordWeights::WordWeights(std::span<const WeightedWord> words)
    : slots_(std::bit_ceil(4 * words.size() + 4)), mask_(slots_.size() - 1) {
    for (const WeightedWord& entry : words) {
        if (entry.weight == 0) continue;
        const std::uint32_t hash = WordHash(entry.word).value();
        std::size_t at = hash & mask_;
        while (slots_[at].weight != 0 && slots_[at].hash != hash) at = (at + 1) & mask_;
        slots_[at] = {hash, entry.weight};
    }
}

const Vocabulary& learnt_vocabulary() {
    static const Vocabulary vocabulary{WordWeights(text_words), WordWeights(name_words)};
    return vocabulary;
}

}  // namespace quarry::extract
