#include "base/clock.h"

namespace quarry {

Timestamp SteadyWallClock::now() const {
    const auto elapsed = std::chrono::steady_clock::now() - steady_start_;
    return started_at_ + std::chrono::duration_cast<std::chrono::milliseconds>(elapsed);
}

}  // namespace quarry
