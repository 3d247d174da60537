#include "base/descriptors.h"

#include <algorithm>

#include <sys/resource.h>

namespace quarry {

std::int64_t raise_descriptor_limit() {
    constexpr rlim_t enough = 65'536;
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1'024;
    const rlim_t before = limit.rlim_cur;
    limit.rlim_cur = std::max(before, std::min(limit.rlim_max, enough));
    const bool is_raised = setrlimit(RLIMIT_NOFILE, &limit) == 0;
    return static_cast<std::int64_t>(std::min(is_raised ? limit.rlim_cur : before, enough));
}

DescriptorPlan descriptor_plan() {
    // What a server has open before anybody asks it, with room for the commands and files of busy times.
    constexpr std::int64_t own = 96, least = 8, most_clients = 10'000, most_reserved = 16,
                           most_fetches = 4'096;
    const std::int64_t rest = std::max(raise_descriptor_limit() - own, 4 * least);
    const std::int64_t clients = std::min(rest / 2, most_clients);
    return {.clients = static_cast<int>(clients),
            .reserved = static_cast<int>(std::min(clients / 2, most_reserved)),
            .fetches = static_cast<int>(std::min(rest / 4, most_fetches))};
}

}  // namespace quarry
