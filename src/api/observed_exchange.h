// An exchange whose answer carries the request's id and what a browser wants to know, and is told to the log.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/request_log.h"
#include "api/server.h"
#include "base/clock.h"

namespace quarry::api {

class ObservedExchange : public Exchange {
public:
    // The log outlives it.
    ObservedExchange(std::shared_ptr<Exchange> inner, std::string request_id, RequestLog& log)
        : inner_(std::move(inner)), request_id_(std::move(request_id)), log_(log) {}

    // What is found out before it is answered, by one thread.
    void set_route(std::string_view route) { route_ = route; }
    void set_owner(std::string owner) { owner_ = std::move(owner); }
    void set_headers(std::vector<Header> headers) { headers_ = std::move(headers); }

    const Request& request() const override { return inner_->request(); }
    void respond(Response response) override;
    std::shared_ptr<Follower> accept_websocket(std::string protocol) override;
    std::shared_ptr<Follower> begin_events(std::vector<Header> headers) override;

private:
    void add_headers(std::vector<Header>& headers) const;
    void tell(int status, std::size_t bytes) const;

    const std::shared_ptr<Exchange> inner_;
    const std::string request_id_;
    RequestLog& log_;
    std::string_view route_;  // of the table
    std::string owner_;
    std::vector<Header> headers_;
    const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

}  // namespace quarry::api
