// The end of a log file.
#pragma once

#include <stop_token>
#include <string>

#include "base/result.h"

namespace quarry::cli {

// Prints the last lines to standard output. `not_found` if there is no such file.
Result<void> print_log(const std::string& path, int lines);

// The same, and then what is added, also when the file is replaced by a new one, until asked to stop.
Result<void> follow_log(const std::string& path, int lines, std::stop_token stop);

}  // namespace quarry::cli
