// A connection that hears what others PUBLISH.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "db/redis/connection.h"

namespace quarry::db {

class RedisListener {
public:
    static Result<RedisListener> open(const RedisConfig& config, const std::string& channel);

    // Returns what has arrived, as soon as there is something, after `at_most`, or when the descriptor can be
    // read. `unavailable` once the connection is lost: open another.
    Result<std::vector<std::string>> wait(std::chrono::milliseconds at_most, int wake_descriptor = -1);

private:
    explicit RedisListener(RedisConnection connection) : connection_(std::move(connection)) {}
    Result<std::vector<std::string>> take_messages();
    RedisConnection connection_;
};

}  // namespace quarry::db
