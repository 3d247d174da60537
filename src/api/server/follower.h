// One who follows what happens: a WebSocket, or a stream of server-sent events.
#pragma once

#include <deque>
#include <functional>
#include <mutex>
#include <string>

#include "api/server/memory_budget.h"

namespace quarry::api {

// Any thread. A client that reads too slowly is cut off rather than kept in memory; who has much to send asks
// how much waits already.
class Follower {
public:
    virtual ~Follower() = default;
    // A message, or in a stream an event of one line. Nothing happens once it is closed.
    virtual void send(std::string text) = 0;
    virtual std::size_t waiting_bytes() const = 0;
    // Called whenever what waited is on its way, by the server's thread. Set before anything is sent.
    virtual void set_on_drained(std::function<void()> on_drained) = 0;
    // After what was sent before. Code and reason are for WebSockets.
    virtual void close(int code, std::string reason) = 0;
    virtual bool is_open() const = 0;
};

// What is on its way to one who follows. Filled by any thread, emptied by the server's.
class FollowerQueue : public Follower {
public:
    // `wake` is called after every change, by the thread that made it. What waits is held by `share`.
    FollowerQueue(std::size_t most_bytes, std::function<void()> wake, MemoryBudget::Share share = {})
        : most_bytes_(most_bytes), wake_(std::move(wake)), share_(std::move(share)) {}

    void send(std::string text) override;
    std::size_t waiting_bytes() const override;
    void set_on_drained(std::function<void()> on_drained) override;
    void close(int code, std::string reason) override;
    bool is_open() const override;

    struct Taken {
        std::deque<std::string> messages{};
        bool is_closed = false;   // nothing comes after these
        bool is_overrun = false;  // there was more than it could hold
        int code = 1000;
        std::string reason{};
    };
    // What was taken before has been sent.
    Taken take();
    bool has_news() const;
    // The client has gone.
    void abandon();

private:
    const std::size_t most_bytes_;
    const std::function<void()> wake_;
    std::function<void()> on_drained_;
    mutable std::mutex mutex_;
    Taken waiting_;
    std::size_t bytes_ = 0;
    MemoryBudget::Share share_;  // also of what was taken last
};

}  // namespace quarry::api
