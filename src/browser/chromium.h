// A Chromium process for pages that need one: the program, the flags it is started with, and its end with
// everything that it started. It is started so that it can do no harm. It speaks the DevTools protocol over
// two pipes; there is no port to attack.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/descriptors.h"
#include "base/result.h"

namespace quarry::browser {

// A Chromium process for pages that need one: started so that it can do no harm, and ended with everything
// that it started. Speaks the DevTools protocol over two pipes; there is no port to attack.

struct ChromiumConfig {
    std::string path{};           // of the program; "": chromium-headless-shell, wherever PATH has it
    std::string user = "nobody";  // who runs it when we are root: as root Chromium has no sandbox

    // Off is the user's own choice: then a page that breaks out of Chromium's JavaScript is in their account,
    // and the browser shares the machine's network, held back only by being told to use a proxy.
    bool sandbox = true;

    int listeners = 4;                                    // sockets that the browser can reach
    std::uint64_t memory_bytes = std::uint64_t{1} << 30;  // of one process
    std::string keeper_program = "/proc/self/exe";        // answers to keeper_command; tests name another
};

class Chromium {
public:
    // Fails with `unavailable` if there is none or it does not start, `refused` if it cannot be sandboxed;
    // the sentence says what to do.
    static Result<std::unique_ptr<Chromium>> start(const ChromiumConfig& config);

    // Ends all of its processes and removes its folder.
    ~Chromium();
    Chromium(const Chromium&) = delete;
    Chromium& operator=(const Chromium&) = delete;

    // A listening socket on 127.0.0.1 of the browser's own network, which nobody else can reach.
    struct Listener {
        std::uint16_t port = 0;
        Descriptor socket{};
    };
    std::vector<Listener> take_listeners() { return std::move(listeners_); }

    // The pipes. What is written to `input` must end with a NUL byte, as does what is read from `output`.
    Descriptor take_input() { return std::move(input_); }
    Descriptor take_output() { return std::move(output_); }

    // What its processes hold together, shared pages not counted.
    std::uint64_t memory() const;
    int count_processes() const;

    // The last line it wrote to standard error; "" if there is none.
    std::string last_words() const;

private:
    Chromium() = default;

    pid_t keeper_ = -1;
    Descriptor control_;  // closing it ends the browser
    Descriptor input_, output_, words_;
    std::vector<Listener> listeners_;
    std::string folder_;
};

// The program to start, and the flags it is started with.

// The configured program, or the first of those on PATH that will do. Fails with `unavailable`.
Result<std::string> find_chromium(const ChromiumConfig& config);

std::vector<std::string> chromium_command(const std::string& program, const ChromiumConfig& config,
                                          const std::string& folder);

}  // namespace quarry::browser
