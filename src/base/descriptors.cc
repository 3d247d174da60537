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

}  // namespace quarry
