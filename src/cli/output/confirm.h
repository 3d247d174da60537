// Asking before something is gone for good.
#pragma once

#include <string>

#include "base/result.h"

namespace quarry::cli {

// True for "y" or "yes" at the terminal. Without a terminal nobody can answer: `invalid_argument`, which says
// that --yes is needed.
Result<bool> confirmed(const std::string& question);

}  // namespace quarry::cli
