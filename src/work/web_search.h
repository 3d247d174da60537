// Asks a SearXNG server for pages of the web.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "embed/service.h"
#include "net/http_client.h"
#include "work/searxng_answer.h"

namespace quarry::work {

struct WebSearchConfig {
    std::string url{};  // "http://127.0.0.1:8080"
    std::chrono::milliseconds timeout{20'000};
};

class WebSearch {
public:
    // Asks nothing yet. `invalid_argument` if the URL is none. The client must outlive it.
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
