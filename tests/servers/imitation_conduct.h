// How an imitated service behaves and what it has seen; the same for all of them. They answer as the real
// ones do, as far as that is known, and are stricter: a request that a real one would refuse, or would have
// to forgive, is counted as a wrong one, and tests ask for none.
//
// Over HTTP, for tests that run the program: POST /imitation/faults
// {"next":["unavailable",…],"always":"none"} and GET /imitation/counters.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <vector>

#include <boost/json/fwd.hpp>

#include "servers/hostile_server.h"
#include "servers/imitation_faults.h"

namespace quarry::test {

class ImitationConduct {
public:
    FaultScript faults{};  // of requests that compute or change something
    std::atomic<std::chrono::milliseconds> latency{std::chrono::milliseconds(0)};  // of each of those

    int served() const { return served_; }  // requests answered with a result
    int most_at_once() const { return most_at_once_; }
    std::vector<std::string> wrong_requests();

    // One request's turn: counted among those under way; waits, and takes its fault from the script.
    class Turn {
    public:
        Turn(ImitationConduct& conduct, Connection& connection);
        ~Turn() { --conduct_.at_once_; }
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;
        Fault fault() const { return fault_; }

    private:
        ImitationConduct& conduct_;
        Fault fault_;
    };

    void answer(Connection& connection, const boost::json::value& value);
    // The request itself is at fault, not the script.
    void complain(const ServerRequest& request, const std::string& about);

    void add_control(HostileServer& server);

private:
    std::atomic<int> at_once_ = 0, most_at_once_ = 0, served_ = 0;
    Guarded<std::vector<std::string>> wrong_;
};

void respond_json(Connection& connection, int status, const boost::json::value& value);

// "" if the object has nothing but these fields.
std::string unknown_field(const boost::json::object& object, std::initializer_list<std::string_view> known);

// The key of a request as "Authorization: Bearer …" gives it; "" without.
std::string bearer_key(const ServerRequest& request);

// Nothing if it is not JSON.
std::optional<boost::json::value> parse_body(const ServerRequest& request);

}  // namespace quarry::test
