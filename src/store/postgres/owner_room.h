// Whether owners are so far from their limits that a claim need not ask. How many jobs an owner has running
// is a sum over rows that every claim and every end of a job writes. When an old transaction of somebody's is
// open, their former versions cannot be removed, and each sum walks over all of them: asked at every claim,
// it would make claims slower and slower.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/guarded.h"

namespace quarry::store::postgres {

class OwnerRoom {
public:
    using Time = std::chrono::steady_clock::time_point;

    // True if all who claim as much as this claim, many times each, would fill nobody's limit.
    bool is_ample(std::int64_t slots, Time now = std::chrono::steady_clock::now()) const {
        return known_.with([&](const Known& known) {
            return now < known.read_at + lives && known.room > known.workers * slots * claims_meanwhile;
        });
    }
    // The owner who is nearest to a limit has room for so many more; so many workers may fill it.
    void set(std::int64_t room, std::int64_t workers, Time now = std::chrono::steady_clock::now()) {
        known_.with([&](Known& known) { known = {.room = room, .workers = workers, .read_at = now}; });
    }

    // False if even an owner with nothing running would be too near: then nobody needs to look.
    static bool could_be_ample(std::int64_t limit, std::int64_t slots) {
        return limit > fewest_workers * slots * claims_meanwhile;
    }

    // Who is alone counts as two: another may come at any time.
    static constexpr std::int64_t fewest_workers = 2;

private:
    static constexpr std::chrono::milliseconds lives{50};
    // A claim takes a worker more than a millisecond.
    static constexpr std::int64_t claims_meanwhile = 50;

    struct Known {
        std::int64_t room = 0, workers = 1;
        Time read_at{};
    };
    Guarded<Known> known_;
};

}  // namespace quarry::store::postgres
