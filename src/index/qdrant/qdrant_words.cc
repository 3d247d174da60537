#include "index/qdrant/qdrant_words.h"

#include <algorithm>
#include <map>

#include <boost/json.hpp>
#include <xxhash.h>

namespace quarry::index {

namespace {

constexpr double k1 = 1.2;
constexpr double b = 0.75;

SparseVector sorted(const std::map<std::uint32_t, double>& values) {
    SparseVector vector;
    for (const auto& [index, value] : values) {
        vector.indices.push_back(index);
        vector.values.push_back(static_cast<float>(value));
    }
    return vector;
}

}  // namespace

std::uint32_t word_number(std::string_view term) {
    return static_cast<std::uint32_t>(XXH3_64bits(term.data(), term.size()));
}

SparseVector sparse_of(const text::TermBag& terms, double average_length) {
    // Words that share a number are one word: Qdrant takes each index once.
    std::map<std::uint32_t, double> counts;
    for (const text::TermCount& term : terms.counts) counts[word_number(term.term)] += term.count;
    const double relative_length = average_length > 0 ? terms.length / average_length : 1;
    for (auto& [index, count] : counts)
        count = count * (k1 + 1) / (count + k1 * (1 - b + b * relative_length));
    return sorted(counts);
}

SparseVector sparse_of(std::span<const KeywordQuery::Word> words) {
    std::map<std::uint32_t, double> weights;
    for (const KeywordQuery::Word& word : words) weights[word_number(word.term)] += word.weight;
    return sorted(weights);
}

boost::json::object to_json(const SparseVector& vector) {
    return {{"indices", boost::json::array(vector.indices.begin(), vector.indices.end())},
            {"values", boost::json::array(vector.values.begin(), vector.values.end())}};
}

}  // namespace quarry::index
