#include "cli/exit.h"

#include <atomic>
#include <csignal>
#include <thread>

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "base/units.h"
#include "cli/output/terminal.h"

namespace quarry::cli {
namespace {

std::atomic<int> interrupts = 0;
int wake_pipe[2] = {-1, -1};
std::atomic<std::chrono::milliseconds> longest_stop = std::chrono::milliseconds(60'000);

// Only calls that are safe in a signal handler: a count and a byte into a pipe.
void on_signal(int) {
    if (interrupts.fetch_add(1) > 0) _exit(exit_interrupted);
    const char byte = 0;
    if (write(wake_pipe[1], &byte, 1) < 0) _exit(exit_interrupted);
}

// Whatever is waited for: a kill costs nothing but time.
void end_in_time() {
    const std::chrono::milliseconds time = longest_stop;
    std::this_thread::sleep_for(time);
    // Who does not read what is said may be why it takes so long, and is not waited for here.
    pollfd room{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
    if (poll(&room, 1, 0) > 0)
        say(fmt::format(
            "warning: not stopped within {}: ending at once. The next start goes on where this one was",
            format_duration(time)));
    _exit(exit_interrupted);
}

// std::stop_source::request_stop takes locks, so a thread does it on the handler's behalf.
std::stop_token start_watching() {
    std::stop_source source;
    if (pipe(wake_pipe) != 0) return source.get_token();
    std::signal(SIGINT, on_signal);
    std::signal(SIGTERM, on_signal);
    std::thread([source]() mutable {
        char byte = 0;
        if (read(wake_pipe[0], &byte, 1) != 1) return;
        // First, for what is told of the stop may itself have to wait.
        std::thread(end_in_time).detach();
        source.request_stop();
    }).detach();  // Lives as long as the process; it holds nothing but the pipe.
    return source.get_token();
}

}  // namespace

std::stop_token stop_on_interrupt() {
    static const std::stop_token token = start_watching();
    return token;
}

void set_longest_stop(std::chrono::milliseconds time) {
    longest_stop = time;
}

bool was_interrupted() {
    return interrupts.load() > 0;
}

int report_interruption(std::size_t done, std::size_t pages) {
    say(pages > 1 ? fmt::format("Interrupted after {} of {} pages", done, pages) : "Interrupted");
    return exit_interrupted;
}

}  // namespace quarry::cli
