// Who may use a server, and what they did with it.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"

namespace quarry {

using KeyHash = std::array<std::uint8_t, 32>;

// A key as it is kept: never the key itself, which is shown once.
struct ApiKey {
    std::int64_t id = 0;  // given by the store
    std::string owner{};  // what is done with it belongs to them
    std::string name{};   // what it is for, in its user's words
    std::string hint{};   // how it begins, so that people tell keys apart
    KeyHash hash{};
    Timestamp created_at{};
    std::optional<Timestamp> revoked_at{};
};

// One request, as operators want to look it up.
struct RequestRecord {
    Timestamp at{};
    std::string method{}, path{};
    std::string route{};  // the row of the table that answered: "/v2/crawl/{id}"; "" for none
    int status = 0;
    std::chrono::microseconds took{};
    std::string request_id{}, peer{}, user_agent{}, owner{};
    std::string extra{};  // JSON
};

// The requests of one day that took one route to one status, once they are too old to be kept one by one.
struct RequestDay {
    Timestamp day{};  // its first moment, in UTC
    std::string route{};
    int status = 0;
    std::int64_t requests = 0;
    std::chrono::microseconds took{};  // in all
};

// Pages that an owner had fetched on one day.
struct UsageDay {
    Timestamp day{};
    std::int64_t pages = 0;
};

}  // namespace quarry
