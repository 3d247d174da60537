// What Redis answered: numbers, texts, nothing, and lists of these. The answer owns the tree; a value is a
// view of a part of it, and never fails: of another kind than asked for, it is 0, "" or empty.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

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
