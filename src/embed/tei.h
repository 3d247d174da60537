// Hugging Face's text-embeddings-inference: the embedder, the reranker (scores of chunks for a question by
// a cross encoder: slower than any index, and better), and the reading of what TEI's routes answer, which
// is pure and fuzzed.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "embed/embedder.h"
#include "embed/service.h"

namespace quarry::embed {

// What TEI's routes answer, as bytes and as values. Pure; fuzzed.

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

// Hugging Face's text-embeddings-inference.

struct TeiConfig {
    std::string url{};      // TEI_URL
    std::string api_key{};  // what the server was started with, if anything
    std::string key_setting = "embedding.tei_key";

    // Put in front of what is embedded, for models that were taught so: e5 wants "query: " and "passage: ".
    std::string query_prefix{}, document_prefix{};

    std::chrono::milliseconds timeout{60'000};
    std::chrono::milliseconds connect_timeout{5'000};
    std::chrono::milliseconds retry_wait{1'000};  // before the second try; twice, then four times as long after that
    int max_batch = 100;  // texts in one request, whatever more the server takes
    int requests_in_flight = 8;
    BreakerConfig breaker{};
    ServiceTime time{};
};

// How the service itself is reached, and what it means when it refuses: rerank.cc asks the same one.
ServiceConfig service_of(const TeiConfig& config);
BatchFailure tei_failure(const Service& service, int status, std::string_view body);

// Asks nothing yet: a service that is down does not keep the program from starting. `invalid_argument` if the
// URL is none. The client must outlive the embedder.
Result<std::unique_ptr<Embedder>> open_tei_embedder(TeiConfig config, net::HttpClient& client);

// Scores of passages for a question by a cross encoder that TEI serves: slower than any index, and better.

// Any thread.
class Reranker {
public:
    // The client must outlive it. `invalid_argument` if the URL is none. Asks nothing yet.
    static Result<Reranker> open(const TeiConfig& config, net::HttpClient& client);

    // One score per text, in their order; the higher, the better. Texts that are too long for the model are
    // cut by it: their beginnings decide. Errors are those of an Embedder.
    Result<std::vector<float>> score(const std::string& query, std::span<const std::string> texts,
                                     const std::stop_token& stop);

private:
    Reranker(Service service, int max_batch);

    Service service_;
    BatchLimits limits_;
};

}  // namespace quarry::embed
