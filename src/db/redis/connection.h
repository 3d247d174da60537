// Redis with owners, over hiredis: connections close themselves, and failures are values. Knows no nouns of
// quarry. A connection is used by one thread at a time.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/guarded.h"
#include "base/result.h"
#include "db/redis/tls.h"
#include "db/redis/url.h"
#include "db/redis/redis_value.h"

struct redisContext;

namespace quarry::db {

struct RedisConfig {
    std::string url{};
    std::chrono::milliseconds connect_timeout{5'000};
    // An answer that takes longer is given up, and the connection with it: the network may be cut.
    std::chrono::milliseconds answer_timeout{15'000};
};

class RedisConnection {
public:
    // Fails with `invalid_argument` (the URL), `refused` (the password, or the certificate), else
    // `unavailable`.
    static Result<RedisConnection> open(const RedisConfig& config);
    RedisConnection(RedisConnection&&) noexcept = default;
    RedisConnection& operator=(RedisConnection&&) noexcept = default;

    using Command = std::vector<std::string_view>;
    // What Redis answers with an error fails: `refused` (rights), `unavailable` (memory, loading, read only),
    // and else `corrupt`. A lost connection is `unavailable`, and is_open() is false from then on: whether
    // the command was done is not known.
    Result<RedisAnswer> run(std::span<const std::string_view> command);
    Result<RedisAnswer> run(std::initializer_list<std::string_view> command) {
        return run(std::span(command.begin(), command.size()));
    }
    // Many commands in one round trip. Errors of single commands stay in their answers.
    Result<std::vector<RedisAnswer>> run_all(std::span<const Command> commands);

    bool is_open() const { return context_ != nullptr; }
    const std::string& place() const { return place_; }
    redisContext* context() { return context_.get(); }
    // Takes in what has come, waiting for it. False if the connection is lost.
    bool read_more();
    // Something has come that poll() knows nothing of.
    bool has_more() const { return tls_ && tls_->has_more(); }
    // Says why the connection is lost, and ends it.
    Error lost();

    // The sentence for an error that Redis answered with.
    static Error error_of(std::string_view message, const std::string& place);

private:
    struct Close {
        void operator()(redisContext* context) const;
    };
    RedisConnection() = default;
    Result<void> log_in(const RedisAddress& address);
    bool send_appended();
    bool append(std::span<const std::string_view> command);
    Result<RedisAnswer> next_answer();

    std::unique_ptr<redisContext, Close> context_;
    std::optional<RedisTls> tls_;  // over the context's socket, if the URL asks for it
    std::string unsent_;           // commands for it
    std::string place_;
};

// A Lua script, known to the server by the hash that it gave when it was loaded.
class RedisScript {
public:
    explicit RedisScript(std::string text) : text_(std::move(text)) {}

    // One round trip once the server knows it; loaded again when the server has forgotten it. From any
    // thread.
    Result<RedisAnswer> run(RedisConnection& connection, std::span<const std::string_view> arguments);

private:
    Result<std::string> hash(RedisConnection& connection);

    const std::string text_;
    Guarded<std::string> hash_;  // of the text, so that it is the same at every server
};

}  // namespace quarry::db
