// Where a Redis is, as its URL says.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace quarry::db {

struct RedisAddress {
    std::string host = "127.0.0.1";
    int port = 6379;
    std::string user{};      // "" for the default one
    std::string password{};  // "" for none
    int database = 0;
    bool is_encrypted = false;  // rediss://
    std::string ca_file{};      // whose certificates are trusted instead of the system's

    // "Redis on db.example, port 6379": for messages, without the password.
    std::string place() const;
};

// redis://[user:password@]host[:port][/database], each part percent-encoded where it must be; rediss:// the
// same with TLS, to which ?ca_file=FILE may be added. Fails with `invalid_argument`. No message has the
// password.
Result<RedisAddress> parse_redis_url(std::string_view url);

}  // namespace quarry::db
