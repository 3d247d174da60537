#include "store/page_quota.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

namespace quarry::store {

Result<std::optional<std::int64_t>> pages_left(Reader& reader, const std::string& owner, Timestamp now) {
    constexpr std::chrono::hours month{24 * 30};
    const auto limits = TRY(reader.limits(owner));
    const std::int64_t quota = limits ? limits->pages_per_month : 0;
    if (quota <= 0) return std::nullopt;
    std::int64_t used = 0;
    for (const UsageDay& day : TRY(reader.usage(owner, now - month))) used += day.pages;
    return std::max<std::int64_t>(quota - used, 0);
}

std::string quota_sentence(std::int64_t pages_per_month, const std::string& owner) {
    return fmt::format("the {} pages that {} may have fetched in 30 days are used up", pages_per_month,
                       owner);
}

}  // namespace quarry::store
