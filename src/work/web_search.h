// Asks a SearXNG server for pages of the web and reads its JSON.
// The engines behind SearXNG are not trusted: everything is bounded, and only pages that can be fetched are
// kept.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "embed/service.h"
#include "net/http_client.h"

namespace quarry::work {

// One page that SearXNG found.
struct WebResult {
    std::string url{};  // http or https, normalised
    std::string title{}, description{};
};

// The results in SearXNG's order, each URL once. `corrupt` if the body is not an answer of SearXNG. Results
// that cannot be read are left out.
Result<std::vector<WebResult>> parse_searxng_answer(std::string_view body, std::size_t limit);

struct WebSearchConfig {
    std::string url{};  // "http://127.0.0.1:8080"
    std::chrono::milliseconds timeout{20'000};
};

class WebSearch {
public:
    // Sends no request yet. `invalid_argument` if the URL is not valid. The client must outlive the object.
    static Result<std::unique_ptr<WebSearch>> open(const WebSearchConfig& config, net::HttpClient& client);

    // The first results, in the server's order. Fails as embed::Service does, and with `refused` if the
    // server does not give JSON. Any thread.
    Result<std::vector<WebResult>> search(const std::string& query, const std::string& language,
                                          std::size_t limit, const std::stop_token& stop);

private:
    explicit WebSearch(embed::Service service) : service_(std::move(service)) {}

    embed::Service service_;
};

}  // namespace quarry::work
