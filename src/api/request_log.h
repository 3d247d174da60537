// What was asked of a server: a line for people, a record in the store, and counts for monitoring. A flood
// of requests is counted whole, but only so many records of it are kept.
// An ObservedExchange tells the log of its answer, which carries the request's id and what a browser wants
// to know.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "api/server/server.h"
#include "base/clock.h"
#include "base/result.h"
#include "model/access.h"

namespace quarry::api {

// What was asked of a server: a line for people, a record in the store, and counts for monitoring. A flood of
// requests is counted whole, but of its records only so many are kept.

class RequestLog {
public:
    using WriteLine = std::function<void(std::string_view)>;
    using Keep = std::function<Result<void>(std::span<const RequestRecord>)>;  // in the store

    // Of one route and status.
    struct Count {
        std::int64_t requests = 0;
        std::chrono::microseconds took{};
    };
    using Counts = std::map<std::pair<std::string, int>, Count>;

    // No `write_line`: no lines.
    RequestLog(Keep keep, WriteLine write_line);
    // Keeps what it was told.
    ~RequestLog();

    // Any thread; does not wait.
    void add(RequestRecord record, std::size_t bytes);

    Counts counts() const;
    std::int64_t not_kept() const;  // counted, but without a record

private:
    void write(std::stop_token stop);
    bool keep_in_peace(std::span<const RequestRecord> records) const;

    const Keep keep_;
    const WriteLine write_line_;
    mutable std::mutex mutex_;
    std::condition_variable_any has_more_;
    Counts counts_;
    std::vector<RequestRecord> waiting_;
    std::int64_t not_kept_ = 0;
    std::jthread writer_;  // the last: it uses all of the above
};

// An exchange whose answer carries the request's id and what a browser wants to know, and is told to the log.

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
