// Hugging Face's text-embeddings-inference.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "embed/embedder.h"
#include "embed/halving.h"
#include "embed/service.h"

namespace quarry::embed {

struct TeiConfig {
    std::string url{};      // TEI_URL
    std::string api_key{};  // what the server was started with, if anything
    std::string key_setting = "embedding.tei_key";

    // Put in front of what is embedded, for models that were taught so: e5 wants "query: " and "passage: ".
    std::string query_prefix{}, document_prefix{};

    std::chrono::milliseconds timeout{60'000};
    std::chrono::milliseconds connect_timeout{5'000};
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

}  // namespace quarry::embed
