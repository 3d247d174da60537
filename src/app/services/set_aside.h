// What to do with an index that cannot be used: out of the way, but not thrown away. Whoever wants to know
// what happened can look.
#pragma once

#include <string>

#include "base/result.h"

namespace quarry::app {

// Renames index.db to index.db.damaged, over a former one.
Result<void> set_aside(const std::string& path);

}  // namespace quarry::app
