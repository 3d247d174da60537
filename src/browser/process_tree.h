// The processes that come from one process, as /proc tells it: a browser is a dozen of them, some in
// namespaces of their own, and none may be forgotten.
#pragma once

#include <cstdint>
#include <vector>

#include <sys/types.h>

namespace quarry::browser {

// All descendants, children before their own. What ends or starts meanwhile may be missing.
std::vector<pid_t> descendants_of(pid_t process);

// What the process holds for itself: resident, not shared. 0 if it is gone.
std::uint64_t own_memory_of(pid_t process);

}  // namespace quarry::browser
