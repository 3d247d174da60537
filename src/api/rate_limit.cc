#include "api/rate_limit.h"

#include <algorithm>
#include <cmath>

namespace quarry::api {

std::optional<std::chrono::milliseconds> RateLimit::wait_of(const std::string& owner, std::int64_t per_minute,
                                                            Time now) {
    using Milliseconds = std::chrono::duration<double, std::milli>;
    if (per_minute <= 0) return std::nullopt;
    const double per_millisecond = static_cast<double>(per_minute) / 60'000;
    const double most = std::max(1.0, static_cast<double>(per_minute) / 6);
    return allowances_.with([&](auto& allowances) -> std::optional<std::chrono::milliseconds> {
        const auto [entry, is_new] = allowances.try_emplace(owner, Allowance{most, now});
        Allowance& left = entry->second;
        const double passed = Milliseconds(std::max(now, left.counted_at) - left.counted_at).count();
        left.requests = std::min(most, left.requests + passed * per_millisecond);
        left.counted_at = std::max(now, left.counted_at);
        if (left.requests < 1) {
            const double wait = std::ceil((1 - left.requests) / per_millisecond);
            return std::chrono::milliseconds(static_cast<std::int64_t>(wait));
        }
        left.requests -= 1;
        return std::nullopt;
    });
}

}  // namespace quarry::api
