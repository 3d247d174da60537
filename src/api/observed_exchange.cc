#include "api/request_log.h"

#include <boost/json.hpp>

#include "crawl/options/request_context.h"

namespace quarry::api {

namespace {

// {"traceparent": …} if its client has a trace.
std::string extra_of(const Request& request) {
    const std::string_view parent = request.header("traceparent");
    if (!crawl::is_trace_parent(parent)) return "{}";
    return boost::json::serialize(boost::json::object{{"traceparent", parent}});
}

}  // namespace

void ObservedExchange::respond(Response response) {
    add_headers(response.headers);
    tell(response.status, response.text().size());  // first: who has the answer finds it counted
    inner().respond(std::move(response));
}

std::shared_ptr<Follower> ObservedExchange::accept_websocket(std::string protocol) {
    tell(101, 0);
    auto follower = inner().accept_websocket(std::move(protocol));
    if (on_follower_) on_follower_(request(), follower);
    return follower;
}

std::shared_ptr<Follower> ObservedExchange::begin_events(std::vector<Header> headers) {
    add_headers(headers);
    tell(200, 0);
    auto follower = inner().begin_events(std::move(headers));
    if (on_follower_) on_follower_(request(), follower);
    return follower;
}

void ObservedExchange::add_headers(std::vector<Header>& headers) const {
    headers.push_back({.name = "X-Request-Id", .value = request_id_});
    headers.insert(headers.end(), headers_.begin(), headers_.end());
}

void ObservedExchange::tell(int status, std::size_t bytes) const {
    using std::chrono::steady_clock, std::chrono::system_clock;
    const auto took = std::chrono::duration_cast<std::chrono::microseconds>(steady_clock::now() - started_);
    const auto now = std::chrono::time_point_cast<std::chrono::milliseconds>(system_clock::now());
    log_.add({.at = now - std::chrono::duration_cast<std::chrono::milliseconds>(took),
              .method = std::string(name_of(request().method)),
              .path = request().path,
              .route = std::string(route_),
              .status = status,
              .took = took,
              .request_id = request_id_,
              .peer = peer_,
              .user_agent = std::string(request().header("user-agent")),
              .owner = owner_,
              .extra = extra_of(request())},
             bytes);
}

}  // namespace quarry::api
