// A web server for the few files of `quarry demo`: loopback only, one thread, plain GET and HEAD, and the
// little of HTTP/1.1 that this needs.
// It is not meant for the world, but anything on this machine can connect to it: requests, connections and
// waiting are bounded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "app/local_socket.h"
#include "base/result.h"

namespace quarry::app {

// A web server for the few files of `quarry demo`: loopback only, one thread, plain GET and HEAD.
//
// It is not meant for the world, but anything on this machine can connect to it: requests, connections and
// waiting are bounded.

struct DemoFile {
    std::string content_type{};
    std::string body{};
};

using DemoFiles = std::map<std::string, DemoFile, std::less<>>;  // "/crawl/scope" -> its page

class DemoServer {
public:
    // Takes a free port of 127.0.0.1. `unavailable` if there is none.
    static Result<std::unique_ptr<DemoServer>> listen();

    // Stops at once, with whatever is under way.
    ~DemoServer();

    std::string origin() const;  // "http://127.0.0.1:40123"

    // Answers from now on. Called once.
    void serve(DemoFiles files);

private:
    DemoServer(Descriptor listener, Descriptor wake, std::uint16_t port);

    Descriptor listener_;
    Descriptor wake_;  // readable once it is to stop
    std::uint16_t port_;
    DemoFiles files_;
    std::jthread thread_;
};

// The little of HTTP/1.1 that the demo's server speaks: a request head to the bytes of an answer. Pure.

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
