// Qdrant's REST interface. QdrantService sends requests, repeats them with patience, and takes answers out
// of their envelope. The functions that read an answer are pure and fuzzed; all fail with `corrupt` if the
// answer is something else.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>
#include <boost/json/fwd.hpp>

#include "base/result.h"
#include "index/qdrant/qdrant_index.h"
#include "net/http_client.h"

namespace quarry::index {

// What Qdrant answers, as bytes and as values. Pure; fuzzed. All fail with `corrupt` if it is something else.

struct QdrantPoint {
    std::string id{};
    float score = 0;  // of a query's points only
    boost::json::object payload{};
    std::vector<float> dense{};  // if it was asked for and is there
};

// The `result` of an answer's envelope.
Result<boost::json::value> qdrant_result(std::string_view body);
// What the envelope of an error says, or the body itself.
std::string qdrant_error(std::string_view body);

Result<std::vector<QdrantPoint>> read_found(const boost::json::value& result);    // of /points/query
Result<std::vector<QdrantPoint>> read_records(const boost::json::value& result);  // of POST /points
Result<std::int64_t> read_count(const boost::json::value& result);
Result<std::vector<std::string>> read_collection_names(const boost::json::value& result);
// True if readers see the change already.
Result<bool> read_completed(const boost::json::value& result);

// Qdrant's REST interface: requests with patience, answers out of their envelope.

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
