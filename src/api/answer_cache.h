// The cache of answers that many clients ask for at once. Each is made once, and given to all requests that
// come within a moment.
// Clients poll: without the cache every poll would cost a walk through the store.
// Once a ChangingExchange is answered, no request gets an older answer any more.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "api/server/server.h"

namespace quarry::api {

// The cache of answers that many clients ask for at once. Each is made once, and given to all requests that
// come within a moment. Clients poll: without the cache every poll would cost a walk through the store.

class AnswerCache : public std::enable_shared_from_this<AnswerCache> {
public:
    explicit AnswerCache(std::chrono::milliseconds fresh_for) : fresh_for_(fresh_for) {}

    // Returns nothing if the exchange is answered, or will be by an answer that is being made. Else the
    // caller has to answer the exchange that is returned, and the cache gives that answer to all that wait.
    std::shared_ptr<Exchange> ask(const std::string& key, std::shared_ptr<Exchange> exchange);

    // Called after a change: every request from now on gets a new answer.
    void forget();

private:
    using Time = std::chrono::steady_clock::time_point;
    struct Entry {
        std::uint64_t number = 0;
        std::vector<std::shared_ptr<Exchange>> waiting{};  // while it is being made
        Response response{};                               // once it is
        Time made_at{};
        bool is_made = false;
    };
    class Maker;

    void tell(const std::string& key, std::uint64_t number, Response response);

    const std::chrono::milliseconds fresh_for_;
    std::mutex mutex_;
    std::unordered_map<std::string, std::shared_ptr<Entry>> entries_;
    std::unordered_map<std::uint64_t, std::shared_ptr<Entry>> in_making_;  // including forgotten ones
    std::size_t bytes_ = 0;
    std::uint64_t last_number_ = 0;
};

// An exchange that changes something. Once it is answered, no request gets an older answer any more.

class ChangingExchange : public WrappedExchange {
public:
    ChangingExchange(std::shared_ptr<Exchange> inner, std::shared_ptr<AnswerCache> answers)
        : WrappedExchange(std::move(inner)), answers_(std::move(answers)) {}

    void respond(Response response) override {
        answers_->forget();
        WrappedExchange::respond(std::move(response));
    }
    std::shared_ptr<Follower> begin_events(std::vector<Header> headers) override {
        answers_->forget();
        return WrappedExchange::begin_events(std::move(headers));
    }

private:
    const std::shared_ptr<AnswerCache> answers_;
};

}  // namespace quarry::api
