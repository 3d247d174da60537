// Ctrl-C: the first one asks the command to stop and finish tidily, the second ends the process at once.
#pragma once

#include <stop_token>

namespace quarry::cli {

// Installs the handlers for SIGINT and SIGTERM (once per process) and returns the token they trigger.
std::stop_token stop_on_interrupt();

bool was_interrupted();

}  // namespace quarry::cli
