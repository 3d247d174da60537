// An exchange whose answer carries the request's id and what a browser wants to know, and is told to the log.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "api/api_request_log.h"
#include "api/server/wrapped_exchange.h"
#include "base/base_clock.h"

namespace quarry::api {

class ObservedExchange : public WrappedExchange {
public:
    // The log outlives it.
    ObservedExchange(std::shared_ptr<Exchange> inner, std::string request_id, RequestLog& log)
        : WrappedExchange(std::move(inner)), request_id_(std::move(request_id)), log_(log) {}

    // What is found out before it is answered, by one thread.
    void set_route(std::string_view route) { route_ = route; }
    void set_owner(const std::string& owner) {
        owner_ = owner;
        bill(owner);
    }
    void set_peer(std::string peer) { peer_ = std::move(peer); }
    using OnFollower = std::function<void(const Request&, const std::shared_ptr<Follower>&)>;
    void set_on_follower(OnFollower on_follower) { on_follower_ = std::move(on_follower); }
    void set_headers(std::vector<Header> headers) { headers_ = std::move(headers); }

    void respond(Response response) override;
    std::shared_ptr<Follower> accept_websocket(std::string protocol) override;
    std::shared_ptr<Follower> begin_events(std::vector<Header> headers) override;

private:
    void add_headers(std::vector<Header>& headers) const;
    void tell(int status, std::size_t bytes) const;

    const std::string request_id_;
    RequestLog& log_;
    std::string_view route_;  // of the table
    std::string owner_, peer_;
    OnFollower on_follower_;
    std::vector<Header> headers_;
    const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

}  // namespace quarry::api
