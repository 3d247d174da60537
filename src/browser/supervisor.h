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

// The processes that come from one process, as /proc tells it: a browser is a dozen of them, some in
// namespaces of their own, and none may be forgotten.

// All descendants, children before their own. What ends or starts meanwhile may be missing.
std::vector<pid_t> descendants_of(pid_t process);

// What the process holds for itself: resident, not shared. 0 if it is gone.
std::uint64_t own_memory_of(pid_t process);

// What quarry and the keeper of a browser say to each other: one message each way over a socket pair, both
// between processes of ours.

// The keeper's standard input is its end of the socket pair. The browser's are handed down by it.
inline constexpr int keeper_socket = 0;
inline constexpr int browser_reads = 3;   // as --remote-debugging-pipe has it
inline constexpr int browser_writes = 4;  // so, too

struct KeeperRequest {
    std::vector<std::string> command{};  // the browser's program, then its arguments
    std::string folder{};                // the browser's own; removed at the end
    std::int64_t user = -1;              // to run it as; -1: as we are
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

// What the system says of its last call.
std::unexpected<Error> system_error(std::string_view what);

Result<void> send_request(int socket, const KeeperRequest& request);
Result<KeeperRequest> receive_request(int socket);

Result<void> send_answer(int socket, const KeeperAnswer& answer);
// Waits at most `timeout_ms`.
Result<KeeperAnswer> receive_answer(int socket, int timeout_ms);

// A browser is a dozen processes, and whoever starts it may be killed at any moment, with no chance to tidy
// up. So quarry does not start it: a small process of its own does, the keeper, which outlives quarry by as
// long as it takes to end the browser. docs/decisions/0017 tells why it is done so.
//
// The keeper is this program, started again with a hidden command. It gives the browser a network in which
// there is nothing, a user without rights, and an end: when quarry closes its end of the socket pair or dies,
// when the browser's first process ends, or when the keeper itself is killed.

inline constexpr std::string_view keeper_command = "keep-browser";

// What main calls for it, before anything is set up. Returns the exit code.
int run_keeper();

}  // namespace quarry::browser
