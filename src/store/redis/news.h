// What happened, told to those of this process at once and to other processes through Redis: what they wait
// for may have come, and what observers want to know. At most one message in 20 ms; the first goes at once.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/guarded.h"
#include "base/observers.h"
#include "db/redis/connection.h"
#include "store/events.h"
#include "store/store.h"

namespace quarry::store::redis {

class News {
public:
    // Listens when it returns, if Redis can be reached; else it goes on trying.
    News(db::RedisConfig config, std::string channel);
    ~News();

    // Tells observers now, on this thread, and others soon.
    void tell(std::span<const Event> events, bool wakes);

    // Also returns after a second: messages may be lost with a connection.
    std::uint64_t wait(std::uint64_t seen, std::chrono::milliseconds at_most, std::stop_token stop);
    std::shared_ptr<void> observe(Store::Observer observer);

private:
    struct Outgoing {
        std::vector<Event> events{};
        bool wakes = false;
    };
    void run(Result<db::RedisListener> listener, std::stop_token stop);
    void listen(db::RedisListener& listener, std::stop_token stop);
    void hear(const std::string& message);
    void publish_what_waits();
    std::string message_of(Outgoing outgoing) const;
    void tell_observers(std::span<const Event> events);

    const db::RedisConfig config_;
    const std::string channel_;
    const std::int64_t self_;
    int wake_ = -1;
    ChangeSignal changed_;
    Observers<std::span<const Event>> observers_;
    Guarded<Outgoing> outgoing_;
    std::unique_ptr<db::RedisConnection> speaker_;  // of the thread
    std::chrono::steady_clock::time_point last_spoken_{};
    std::jthread thread_;  // the last: it uses all of the above
};

// What a message of another process says. Nothing if it is none, or one's own.
std::vector<Event> events_of_message(std::string_view message, std::int64_t self);

}  // namespace quarry::store::redis
