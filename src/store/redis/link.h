// The way to the scripts: connections, whether their Redis keeps what it acknowledges, the scripts
// themselves, and what every one of them is told and answers.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "db/redis/connection.h"
#include "store/redis/encoding.h"
#include "store/store.h"

namespace quarry::store::redis {

// Whether a Redis keeps what it acknowledges.

// Sentences that its user should know. `refused` if it may evict keys, or keeps nothing on disk and that is
// not allowed.
Result<std::vector<std::string>> check_durability(db::RedisConnection& connection, bool allow_volatile);

// The way to the scripts: connections, the scripts themselves, and what every one of them is told and
// answers.

struct LinkConfig {
    std::string url{};
    std::string prefix{};
    StoreLimits limits{};
    const Clock* clock = nullptr;  // nullptr: the server's
};

// What a script did. `result` is a part of `answer`.
struct ScriptAnswer {
    db::RedisAnswer answer{};
    bool wakes = false;  // something may have become due
    std::vector<Event> events{};
    std::vector<std::pair<GroupId, UrlKey>> admitted{};

    db::RedisValue result() const { return answer[5]; }
};

// The files of lua/ that are scripts, by their names without ".lua".
class RedisLink {
public:
    explicit RedisLink(LinkConfig config);
    ~RedisLink();

    // One round trip. Fails as the script says, or as db::RedisConnection does. `was_lost`, if given, is set
    // when the connection broke, so that nobody knows whether it was done. Safe from any thread.
    Result<ScriptAnswer> call(std::string_view script, const Message& message, bool* was_lost = nullptr);

    db::RedisPool& pool() { return pool_; }
    const LinkConfig& config() const { return config_; }
    // The server's, as far as its answers tell; never backwards.
    Timestamp now() const;

private:
    struct Scripts;
    void set_clock(std::int64_t server_now);

    const LinkConfig config_;
    std::string limits_;
    db::RedisPool pool_;
    std::unique_ptr<Scripts> scripts_;
    WallClock wall_clock_;
    std::atomic<std::int64_t> ahead_{0};  // of the server, to this machine's clock
    mutable std::atomic<std::int64_t> latest_{0};
};

}  // namespace quarry::store::redis
