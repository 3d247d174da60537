// The little of HTTP/1.1 that the demo's server speaks: a request head to the bytes of an answer. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "app/demo/server.h"

namespace quarry::app {

inline constexpr std::size_t longest_demo_request = 16 * 1024;

struct DemoAnswer {
    std::string bytes{};
    bool keep_open = false;
};

// The length of the first request in `received`, with the empty line that ends it; nothing while it is not
// all there.
std::optional<std::size_t> request_length(std::string_view received);

// Answers a whole request. What is not understood gets an error and a closed connection; so does a request
// with a body, which no page here wants.
DemoAnswer answer_request(std::string_view request, const DemoFiles& files);

}  // namespace quarry::app
