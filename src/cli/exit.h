// What a command tells the shell. The one table from errors to exit codes.
#pragma once

#include "base/result.h"

namespace quarry::cli {

enum ExitCode : int {
    exit_yes = 0,            // all succeeded
    exit_no = 1,             // some or all URLs failed, or nothing was found
    exit_error = 2,          // wrong usage, or the system could not work
    exit_interrupted = 130,  // Ctrl-C
};

// For an error that ends the whole command, and for one of the only page or file that it was about. An error
// of one among several is counted instead: exit_no.
struct ExitCodes {
    ExitCode of_command = exit_error, of_page = exit_error;
};

constexpr ExitCodes exit_codes_of(ErrorCode code) {
    switch (code) {
        case ErrorCode::interrupted: return {exit_interrupted, exit_interrupted};
        case ErrorCode::not_found: return {exit_no, exit_no};
        case ErrorCode::refused:
        case ErrorCode::unavailable:
        case ErrorCode::timeout:
        case ErrorCode::too_large:
        case ErrorCode::unsupported:
        case ErrorCode::corrupt: return {exit_error, exit_no};
        case ErrorCode::invalid_argument:
        case ErrorCode::exhausted:
        case ErrorCode::conflict: return {exit_error, exit_error};
    }
    return {};
}

}  // namespace quarry::cli
