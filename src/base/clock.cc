#include "base/clock.h"

#include <algorithm>

namespace quarry {

Timestamp WallClock::at(Timestamp wall, std::chrono::milliseconds steady) const {
    const std::int64_t ahead = wall.time_since_epoch().count() - steady.count();
    std::int64_t most = ahead_.load();
    while (ahead > most && !ahead_.compare_exchange_weak(most, ahead)) {
    }
    return Timestamp(steady + std::chrono::milliseconds(std::max(ahead, most)));
}

Timestamp WallClock::now() const {
    using std::chrono::milliseconds, std::chrono::floor;
    // In this order: who is interrupted in between shows an earlier time, not a later one for ever.
    const auto wall = floor<milliseconds>(std::chrono::system_clock::now());
    const auto steady = floor<milliseconds>(std::chrono::steady_clock::now().time_since_epoch());
    return at(wall, steady);
}

}  // namespace quarry
