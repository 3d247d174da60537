// What messages to and from a browser travel on, and what marks where one of them ends: pipes to a browser
// that we have started, a WebSocket to one elsewhere.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "base/descriptor.h"
#include "base/result.h"

namespace quarry::browser {

class Wire {
public:
    virtual ~Wire() = default;

    // To wait on. Neither reading nor writing blocks; both give what read(2) and write(2) give.
    virtual int reading_end() const = 0;
    virtual int writing_end() const = 0;
    virtual ssize_t read(std::span<char> room) = 0;
    virtual ssize_t write(std::string_view bytes) = 0;

    // Adds the message to what is to be written. Any thread.
    virtual void append(std::string& outgoing, std::string_view message) const = 0;

    struct Part {
        std::string_view text{};
        bool is_end = false;  // of its message
    };
    // The next part of a message in what was read; it is removed from `bytes`. Nothing if there is none left.
    // What the wire itself has to answer is added to `replies`. Fails when nothing more can be read.
    virtual Result<std::optional<Part>> take(std::string_view& bytes, std::string& replies) = 0;

    // The last that is to be written.
    virtual std::string farewell() const = 0;
};

// A NUL byte is behind each message.
std::unique_ptr<Wire> pipe_wire(Descriptor to_browser, Descriptor from_browser);

// A connection that net::begin_websocket has opened.
std::unique_ptr<Wire> websocket_wire(Descriptor socket);

}  // namespace quarry::browser
