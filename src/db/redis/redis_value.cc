#include "db/redis/redis_value.h"

#include <charconv>

#include <hiredis/hiredis.h>

namespace quarry::db {

bool RedisValue::is_nil() const {
    return !reply_ || reply_->type == REDIS_REPLY_NIL;
}

bool RedisValue::is_error() const {
    return reply_ && reply_->type == REDIS_REPLY_ERROR;
}

bool RedisValue::is_text() const {
    return reply_ && (reply_->type == REDIS_REPLY_STRING || reply_->type == REDIS_REPLY_STATUS);
}

std::int64_t RedisValue::integer() const {
    if (!reply_) return 0;
    if (reply_->type == REDIS_REPLY_INTEGER) return reply_->integer;
    if (!is_text()) return 0;
    std::int64_t number = 0;
    const std::string_view digits = text();
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
}

std::string_view RedisValue::text() const {
    if (!is_text() && !is_error()) return {};
    return {reply_->str, static_cast<std::size_t>(reply_->len)};
}

std::size_t RedisValue::size() const {
    return reply_ && reply_->type == REDIS_REPLY_ARRAY ? reply_->elements : 0;
}

RedisValue RedisValue::operator[](std::size_t index) const {
    return index < size() ? RedisValue(reply_->element[index]) : RedisValue();
}

void RedisAnswer::Free::operator()(redisReply* reply) const {
    freeReplyObject(reply);
}

}  // namespace quarry::db
