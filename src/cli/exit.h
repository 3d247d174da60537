// How a command ends. What it tells the shell: the one table from errors to exit codes.
// Ctrl-C: the first one asks the command to stop and finish tidily, the second ends the process at once. So
// does the end of the time that a stop may take.
// Whatever a database or a server does, what was acknowledged is kept, and the next start does the rest.
#pragma once

#include <chrono>
#include <cstddef>
#include <stop_token>

#include "base/result.h"

namespace quarry::cli {

// What a command tells the shell. The one table from errors to exit codes.

enum ExitCode : int {
    exit_success = 0,        // all succeeded
    exit_incomplete = 1,     // some or all URLs failed, or nothing was found
    exit_error = 2,          // wrong usage, or the system could not work
    exit_interrupted = 130,  // Ctrl-C
};

// For an error that ends the whole command, and for one of the only page or file that it was about. An error
// of one among several is counted instead: exit_incomplete.
struct ExitCodes {
    ExitCode of_command = exit_error, of_page = exit_error;
};

constexpr ExitCodes exit_codes_of(ErrorCode code) {
    switch (code) {
        case ErrorCode::interrupted: return {exit_interrupted, exit_interrupted};
        case ErrorCode::not_found: return {exit_incomplete, exit_incomplete};
        case ErrorCode::refused:
        case ErrorCode::unavailable:
        case ErrorCode::timeout:
        case ErrorCode::too_large:
        case ErrorCode::unsupported:
        case ErrorCode::corrupt: return {exit_error, exit_incomplete};
        case ErrorCode::invalid_argument:
        case ErrorCode::exhausted:
        case ErrorCode::conflict: return {exit_error, exit_error};
    }
    return {};
}

// Ctrl-C: the first one asks the command to stop and finish tidily, the second ends the process at once. So
// does the end of the time that a stop may take: whatever a database or a server does, what was acknowledged
// is kept, and what was not is done by the next start.

// Installs the handlers for SIGINT and SIGTERM (once per process) and returns the token they trigger.
std::stop_token stop_on_interrupt();

bool was_interrupted();

// Says how far a command came that goes through a list of pages; returns its exit code.
int report_interruption(std::size_t done, std::size_t pages);

// From the first signal until the process ends by force.
void set_longest_stop(std::chrono::milliseconds time);

}  // namespace quarry::cli
