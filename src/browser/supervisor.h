// What quarry and the keeper of a browser say to each other: one message each way over a socket pair, both
// between processes of ours.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "base/descriptor.h"
#include "base/result.h"

namespace quarry::browser {

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

}  // namespace quarry::browser
