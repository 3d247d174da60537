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

// For an error that ends the whole command. An error of one URL among others is counted instead: exit_no.
inline ExitCode exit_code_of(ErrorCode code) {
    switch (code) {
        case ErrorCode::interrupted: return exit_interrupted;
        case ErrorCode::not_found:
        case ErrorCode::refused:
        case ErrorCode::unavailable:
        case ErrorCode::timeout:
        case ErrorCode::too_large:
        case ErrorCode::unsupported:
        case ErrorCode::corrupt: return exit_no;
        case ErrorCode::invalid_argument:
        case ErrorCode::exhausted:
        case ErrorCode::conflict: return exit_error;
    }
    return exit_error;
}

}  // namespace quarry::cli
