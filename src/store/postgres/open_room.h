// Whether owners may add so many more jobs that adding some need not ask. How many jobs are open is a sum
// over rows that everybody writes (owner_room.h).
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>
#include <unordered_map>

#include "base/guarded.h"

namespace quarry::store::postgres {

class OpenRoom {
public:
    using Time = std::chrono::steady_clock::time_point;

    // True if each of these owners may add as many many times over.
    bool is_ample(std::span<const std::int64_t> owners, std::int64_t jobs,
                  Time now = std::chrono::steady_clock::now()) const {
        return known_.with([&](const auto& known) {
            return std::ranges::all_of(owners, [&](std::int64_t owner) {
                const auto found = known.find(owner);
                return found != known.end() && now < found->second.read_at + lives &&
                       found->second.room > jobs * adds_meanwhile;
            });
        });
    }
    void set(std::int64_t owner, std::int64_t room, Time now = std::chrono::steady_clock::now()) {
        known_.with([&](auto& known) {
            if (known.size() >= most_owners) known.clear();
            known[owner] = {.room = room, .read_at = now};
        });
    }

private:
    static constexpr std::chrono::milliseconds lives{50};
    // By 16 processes that add once a millisecond, which is as often as a disk takes it.
    static constexpr std::int64_t adds_meanwhile = 16 * 50;
    static constexpr std::size_t most_owners = 1'000;

    struct Known {
        std::int64_t room = 0;
        Time read_at{};
    };
    Guarded<std::unordered_map<std::int64_t, Known>> known_;
};

}  // namespace quarry::store::postgres
