// How many requests an owner may make a minute: evenly, with as many at once as ten seconds bring.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/guarded.h"

namespace quarry::api {

class RateLimit {
public:
    using Time = std::chrono::steady_clock::time_point;

    // Nothing if the owner may ask now, which is counted; else how long until it may. Any thread.
    std::optional<std::chrono::milliseconds> wait_of(const std::string& owner, std::int64_t per_minute,
                                                     Time now);

private:
    struct Allowance {
        double requests = 0;
        Time counted_at{};
    };
    Guarded<std::map<std::string, Allowance>> allowances_;  // there are no more than owners with a key
};

}  // namespace quarry::api
