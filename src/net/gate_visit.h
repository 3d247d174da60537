// What happens at a gate: one page's stay, and the connections that it makes. Internal to the gate; used on
// its thread only.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/thread_pool.hpp>

#include "net/browser_proxy.h"

namespace quarry::net {

using GateSocket = boost::asio::ip::tcp::socket;
using GateEndpoint = boost::asio::ip::tcp::endpoint;
template <typename T = void>
using GateTask = boost::asio::awaitable<T>;

// Addresses of names, remembered for a minute: a page asks for the same ones again and again.
class GateNames {
public:
    // Not in the order of arrival. Fails with `not_found`.
    GateTask<Result<std::vector<GateEndpoint>>> find(std::string host, std::uint16_t port);

private:
    struct Known {
        std::vector<boost::asio::ip::address> addresses{};
        std::chrono::steady_clock::time_point until{};
    };
    std::unordered_map<std::string, Known> known_;
    boost::asio::thread_pool lookups_{4};
};

// From open() to close() of a lane.
struct GateVisit {
    GatePass pass{};
    GateTally tally{};
    bool is_over = false;
    std::set<GateSocket*> sockets{};

    void end();
    // Counts, and ends the visit when it was too much. False if nothing more may pass.
    bool count(std::size_t bytes);
    void note(const std::string& place, const Error& error);
};

// Serves one connection of the browser to its end.
GateTask<> serve_at_gate(GateSocket browser, std::shared_ptr<GateVisit> visit, GateNames& names);

}  // namespace quarry::net
