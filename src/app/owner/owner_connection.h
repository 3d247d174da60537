// One command's connection to the owner, as the owner's io thread sees it. Never blocks, and bounds what it
// holds: a command that sends too much or does not read is cut off.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/fwd.hpp>

#include "app/owner/frame.h"
#include "app/local_socket.h"
#include "base/result.h"
#include "store/store.h"

namespace quarry::app {

class OwnerConnection {
public:
    enum class State : std::uint8_t {
        greeting,  // nothing was said yet
        ready,     // for the next request
        busy,      // a request is being answered; the next ones wait in the socket
        broken,    // to be forgotten
    };

    explicit OwnerConnection(Descriptor socket) : socket_(std::move(socket)) {}

    int socket() const { return socket_.get(); }
    State state() const { return state_; }
    void transition_to(State state);
    bool wants_to_read() const { return !at_end_ && (state_ == State::greeting || state_ == State::ready); }
    bool wants_to_write() const { return !output_.empty(); }
    // Everything that was asked is answered, and nothing more can come.
    bool is_done() const {
        return state_ == State::broken || (at_end_ && state_ != State::busy && output_.empty());
    }

    // Reads what has arrived.
    void receive();
    // The next message, if it is complete. A message that is no JSON object breaks the connection.
    std::optional<boost::json::object> next_message();

    void send(const boost::json::object& message);
    // Events give way before answers do: those a slow reader has no room for are counted and left out.
    void send_event(const store::Event& event);
    void flush();

    // Nothing more is read from the command than it has sent already: whatever it sends now fails at its end,
    // so it knows that it was not heard.
    void stop_reading();

    struct Following {
        std::optional<GroupId> group{};  // nothing: all
        bool pages = false;              // also each page
    };
    void follow(Following following) { following_ = following; }
    bool is_following() const { return following_.has_value(); }
    bool follows(const store::Event& event) const;

private:
    Descriptor socket_;
    State state_ = State::greeting;
    bool at_end_ = false;
    FrameReader input_;
    std::string output_;
    std::optional<Following> following_;
    std::int64_t events_left_out_ = 0;
};

}  // namespace quarry::app
