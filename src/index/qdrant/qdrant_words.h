// BM25 in a sparse vector. Qdrant multiplies by the idf of its collection when it is asked; what a chunk
// brings is the part of the formula that depends on the chunk alone, by the hash of each word.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <boost/json/fwd.hpp>

#include "index/index.h"
#include "text/terms/terms.h"

namespace quarry::index {

std::uint32_t word_number(std::string_view term);

struct SparseVector {
    std::vector<std::uint32_t> indices{};  // each once, ascending
    std::vector<float> values{};
};

// `average_length` is the collection's as it was known when the chunk was written. It moves slowly, and a
// chunk keeps the value it was given: after a collection has doubled the error is a few percent of a score.
SparseVector sparse_of(const text::TermBag& terms, double average_length);
SparseVector sparse_of(std::span<const KeywordQuery::Word> words);

boost::json::object to_json(const SparseVector& vector);

}  // namespace quarry::index
