// Vectors of the imitated models: words hashed into dimensions, so that texts with words in common are near
// each other.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace quarry::test {

// Of length 1, and the same for the same text everywhere.
std::vector<float> imitation_vector(std::string_view text, std::size_t dimensions);

// What the imitated tokenizer counts: words, and two for the beginning and the end.
std::size_t imitation_tokens(std::string_view text);

}  // namespace quarry::test
