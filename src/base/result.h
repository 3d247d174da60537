// One error type for the whole program: what kind of failure, and a sentence for a person.
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace quarry {

// The code is for programs: it decides the exit code, the HTTP status and whether a job is tried again.
// Stores keep its number: new ones come last.
enum class ErrorCode {
    invalid_argument,  // the caller asked for something that cannot be
    not_found,         // what was named is not there
    conflict,          // somebody else holds or has changed it
    refused,           // a policy or a rule of the other side forbids it
    unavailable,       // the other side does not answer, or not properly, now
    timeout,           // it took longer than allowed
    too_large,         // it is more than a limit allows
    unsupported,       // well-formed, but of a kind that quarry does not read
    corrupt,           // the bytes are not what they claim to be
    interrupted,       // the user or a stop request ended it
    exhausted,         // a quota is used up
};

struct Error {
    ErrorCode code;
    std::string message;
};

template <typename T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(ErrorCode code, std::string message) {
    return std::unexpected(Error{code, std::move(message)});
}

// For TRY: kept out of line, because 2,800 callers need it only when something fails.
[[gnu::cold]] std::unexpected<Error> propagated(Error& error);

// Unwraps a Result, or returns its error from the enclosing function.
#define TRY(expression)                                   \
    __extension__({                                       \
        auto result_ = (expression);                      \
        if (!result_) [[unlikely]]                        \
            return ::quarry::propagated(result_.error()); \
        *std::move(result_);                              \
    })

}  // namespace quarry
