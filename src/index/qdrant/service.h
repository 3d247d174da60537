// Qdrant's REST interface: requests with patience, answers out of their envelope.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/fwd.hpp>

#include "base/result.h"
#include "index/qdrant/qdrant_index.h"
#include "net/http_client.h"

namespace quarry::index {

// Any thread. A name or a route that is not there is `not_found`, one that is there already `conflict`.
// Other errors: `unavailable` (not there, overloaded, disk full, or a change not completed in time),
// `timeout`, `refused` (the key), `invalid_argument` (any other 4xx), `corrupt` (an answer that is none).
class QdrantService {
public:
    // `invalid_argument` if the URL is none that can be asked. Asks nothing yet.
    static Result<QdrantService> open(QdrantConfig config, net::HttpClient& client);

    // The `result` of the answer.
    Result<boost::json::value> get(std::string_view path) const;
    Result<boost::json::value> post(std::string_view path, const boost::json::object& body) const;
    Result<boost::json::value> put(std::string_view path, const boost::json::object& body) const;
    Result<boost::json::value> remove(std::string_view path) const;

    // Changes of points: returns when readers see it. `path` has no query.
    Result<void> change(net::HttpMethod method, std::string_view path, std::string body) const;

    const QdrantConfig& config() const { return config_; }
    Timestamp now() const { return config_.now(); }

private:
    QdrantService(QdrantConfig config, std::string base, net::HttpClient& client);

    Result<boost::json::value> call(net::HttpMethod method, std::string_view path, std::string body) const;
    Result<net::HttpResponse> send(const net::HttpRequest& request) const;
    net::HttpRequest request_for(net::HttpMethod method, const url::Url& url, std::string body) const;
    Error error_of(const net::HttpResponse& response) const;

    QdrantConfig config_;
    std::string base_;
    std::string name_;  // "Qdrant at http://127.0.0.1:6333", as sentences begin
    net::HttpClient* client_;
};

}  // namespace quarry::index
