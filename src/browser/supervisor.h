// A browser is a dozen processes, and quarry may be killed at any moment, with no chance to tidy up. So a
// small process of its own starts the browser and ends it: the supervisor, which is this program with a
// hidden command and outlives quarry by as long as that takes (docs/decisions/0017). It gives the browser a
// network in which there is nothing, a user without rights, and an end: when quarry closes its end of the
// socket pair or dies, when the browser's first process ends, or when the supervisor itself is killed. Here
// are its main function, the messages between quarry and it, and the processes that come from one process,
// as /proc tells it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "base/descriptors.h"
#include "base/result.h"

namespace quarry::browser {

// The descendants of one process, as /proc lists them: a browser is a dozen processes, some in namespaces of
// their own, and none may be forgotten.

// All descendants, each before its own children. Processes that end or start meanwhile may be missing.
std::vector<pid_t> descendants_of(pid_t process);

// The memory of the process that is resident and not shared. 0 if the process is gone.
std::uint64_t own_memory_of(pid_t process);

// The messages between quarry and the keeper of a browser: one message each way over a socket pair. Both
// processes are quarry's own.

// The keeper's standard input is its end of the socket pair. The keeper hands the browser's descriptors down.
inline constexpr int keeper_socket = 0;
inline constexpr int browser_reads = 3;   // as --remote-debugging-pipe has it
inline constexpr int browser_writes = 4;  // likewise

struct KeeperRequest {
    std::vector<std::string> command{};  // the browser's program, then its arguments
    std::string folder{};                // the browser's folder; removed at the end
    std::int64_t user = -1;              // that runs the browser; -1: quarry's own
    std::int64_t group = -1;
    bool own_network = true;         // a network of its own, with nothing in it but the listeners
    int listeners = 0;               // on 127.0.0.1, in the browser's network
    std::uint64_t memory_bytes = 0;  // a process of the browser that holds more is killed; 0: no limit
};

struct KeeperAnswer {
    std::string error{};  // why there is no browser; "" if there is one
    std::vector<std::uint16_t> ports{};
    std::vector<Descriptor> listeners{};  // in the order of `ports`
};

// The error of the last system call, with its reason.
std::unexpected<Error> system_error(std::string_view what);

Result<void> send_request(int socket, const KeeperRequest& request);
Result<KeeperRequest> receive_request(int socket);

Result<void> send_answer(int socket, const KeeperAnswer& answer);
// Waits at most `timeout_ms`.
Result<KeeperAnswer> receive_answer(int socket, int timeout_ms);

// A browser is a dozen processes, and the process that starts it may be killed at any moment, with no chance
// to tidy up. So quarry does not start the browser itself. A small process of its own does, the keeper, which
// outlives quarry by as long as it takes to end the browser. docs/decisions/0017 gives the reasons.
//
// The keeper is this program, started again with a hidden command. It gives the browser a network in which
// there is nothing, a user without rights, and an end: when quarry closes its end of the socket pair or dies,
// when the browser's first process ends, or when the keeper itself is killed.

inline constexpr std::string_view keeper_command = "keep-browser";

// The keeper's main function, called before anything is set up. Returns the exit code.
int run_keeper();

}  // namespace quarry::browser
