// A web server for the few files of `quarry demo`: loopback only, one thread, plain GET and HEAD.
//
// It is not meant for the world, but anything on this machine can connect to it: requests, connections and
// waiting are bounded.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "app/local_socket.h"
#include "base/result.h"

namespace quarry::app {

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

}  // namespace quarry::app
