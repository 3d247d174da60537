// The program to start, and the flags it is started with.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "browser/chromium.h"

namespace quarry::browser {

// The configured program, or the first of those on PATH that will do. Fails with `unavailable`.
Result<std::string> find_chromium(const ChromiumConfig& config);

std::vector<std::string> chromium_command(const std::string& program, const ChromiumConfig& config,
                                          const std::string& folder);

}  // namespace quarry::browser
