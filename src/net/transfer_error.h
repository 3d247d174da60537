// Turns what curl reports into an error that tells a person what happened.
#pragma once

#include <cstdint>
#include <string>

#include <curl/curl.h>

#include "base/result.h"
#include "net/http_message.h"

namespace quarry::net {

// What is known about a transfer that failed.
struct TransferFacts {
    std::string host{};
    std::uint16_t port = 0;
    std::string address{};      // the last one that a connection was tried to; "" before any
    bool is_connected = false;  // the request could be sent
    bool is_reused = false;     // it went over a connection that had served another
    bool has_answer = false;    // at least one byte of an answer came
    long system_error = 0;      // errno of the last failed system call
    std::string detail{};       // curl's own words; may be empty
    HttpLimits limits{};
};

// The code says what to do about it: `unavailable` and `timeout` may be worth another try, `not_found` means
// that the name does not resolve, `refused` that the server's certificate is not trusted, `corrupt` that it
// does not speak HTTP.
Error describe_failure(CURLcode code, const TransferFacts& facts);

}  // namespace quarry::net
