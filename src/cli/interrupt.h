// Ctrl-C: the first one asks the command to stop and finish tidily, the second ends the process at once. So
// does the end of the time that a stop may take: whatever a database or a server does, what was acknowledged
// is kept, and what was not is done by the next start.
#pragma once

#include <chrono>
#include <cstddef>
#include <stop_token>

namespace quarry::cli {

// Installs the handlers for SIGINT and SIGTERM (once per process) and returns the token they trigger.
std::stop_token stop_on_interrupt();

bool was_interrupted();

// Says how far a command came that goes through a list of pages; returns its exit code.
int report_interruption(std::size_t done, std::size_t pages);

// From the first signal until the process ends by force.
void set_longest_stop(std::chrono::milliseconds time);

}  // namespace quarry::cli
