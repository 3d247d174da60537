// What TEI's routes answer, as bytes and as values. Pure; fuzzed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "embed/embedder.h"

namespace quarry::embed {

struct TeiInfo {
    std::string model{};  // model_id
    std::string sha{};    // model_sha; "" if the server does not know it
    std::string kind{};   // "embedding", "classifier" or "reranker"
    int max_client_batch_size = 32;
    int max_input_length = 512;
    int max_batch_tokens = 16'384;
    int max_concurrent_requests = 512;
};

// All fail with `corrupt` if the body is something else.
Result<TeiInfo> parse_tei_info(std::string_view body);
Result<std::vector<Vector>> parse_tei_vectors(std::string_view body);
// Scores in the order of the texts that were sent; the answer itself is sorted by score.
Result<std::vector<float>> parse_tei_scores(std::string_view body, std::size_t texts);

// Why a request was refused.
enum class TeiRefusal {
    batch_too_large,  // 413, or 422 "batch size 33 > maximum allowed batch size 32"
    input_too_long,   // 422 that counts tokens
    other,
};
TeiRefusal tei_refusal(int status, std::string_view words);

}  // namespace quarry::embed
