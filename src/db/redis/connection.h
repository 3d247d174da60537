// Redis with owners, over hiredis: connections close themselves, and failures are values. It knows no nouns
// of quarry. One thread at a time uses a connection; a RedisPool shares several. An answer owns a tree of
// values; a value is a view of a part of it and never fails. A RedisListener hears what others PUBLISH.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/guarded.h"
#include "base/result.h"
#include "db/pool.h"
#include "db/redis/tls.h"
#include "db/redis/url.h"

// What Redis answered: numbers, texts, nothing, and lists of these. The answer owns the tree; a value is a
// view of a part of it, and never fails: of another kind than asked for, it is 0, "" or empty.

struct redisReply;

namespace quarry::db {

class RedisValue {
public:
    RedisValue() = default;
    explicit RedisValue(const redisReply* reply) : reply_(reply) {}

    bool is_nil() const;
    bool is_error() const;
    bool is_text() const;
    std::int64_t integer() const;   // also of a text that is a number
    std::string_view text() const;  // also of an error or a status
    std::size_t size() const;       // of a list; 0 otherwise
    RedisValue operator[](std::size_t index) const;

    std::string string() const { return std::string(text()); }
    bool is_true() const { return integer() != 0; }

private:
    const redisReply* reply_ = nullptr;
};

class RedisAnswer {
public:
    RedisAnswer() = default;
    explicit RedisAnswer(redisReply* reply) : reply_(reply) {}

    RedisValue value() const { return RedisValue(reply_.get()); }
    RedisValue operator[](std::size_t index) const { return value()[index]; }

private:
    struct Free {
        void operator()(redisReply* reply) const;
    };
    std::unique_ptr<redisReply, Free> reply_;
};

}  // namespace quarry::db

// Redis with owners, over hiredis: connections close themselves, and failures are values. Knows no nouns of
// quarry. A connection is used by one thread at a time.

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

// A connection that hears what others PUBLISH.

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

// Connections to one Redis, shared by threads.

using RedisPool = Pool<RedisConnection, RedisConfig>;

}  // namespace quarry::db
