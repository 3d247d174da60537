// What /v1/embeddings answers, as bytes and as values. Pure; fuzzed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "embed/embedder.h"

namespace quarry::embed {

struct OpenAiVectors {
    std::vector<Vector> vectors{};  // by their index, whatever order they came in
    std::string model{};            // that made them; "" if the answer does not say
};

// `corrupt` if the body is something else, or an index is missing or there twice. A vector may be a list of
// numbers or the base64 of little-endian floats.
Result<OpenAiVectors> parse_openai_vectors(std::string_view body);

// True if a refusal is about the size of what was sent: too many texts, or too many tokens. Servers word it
// in many ways.
bool is_refused_for_size(int status, std::string_view words);

}  // namespace quarry::embed
