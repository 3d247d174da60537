#include "app/owner/owner_connection.h"

#include <cerrno>

#include <boost/json.hpp>
#include <sys/socket.h>

#include "app/owner/protocol.h"

namespace quarry::app {
namespace {

namespace json = boost::json;

constexpr std::size_t most_output_bytes = longest_frame + (1u << 20);
constexpr std::size_t most_event_bytes = 256u << 10;  // beyond it events are left out

}  // namespace

void OwnerConnection::transition_to(State state) {
    if (state_ != State::broken) state_ = state;
}

void OwnerConnection::receive() {
    char buffer[65536];
    const ssize_t got = ::recv(socket_.get(), buffer, sizeof buffer, MSG_DONTWAIT);
    if (got > 0) {
        input_.add({buffer, static_cast<std::size_t>(got)});
    } else if (got == 0) {
        at_end_ = true;
    } else if (errno != EAGAIN && errno != EINTR) {
        transition_to(State::broken);
    }
}

std::optional<json::object> OwnerConnection::next_message() {
    const auto text = input_.next();
    if (text && !*text) return std::nullopt;
    auto message = text ? parse_message(**text) : std::unexpected(text.error());
    if (message) return *std::move(message);
    transition_to(State::broken);
    return std::nullopt;
}

void OwnerConnection::send(const json::object& message) {
    const std::string text = json::serialize(message);
    if (text.size() > longest_frame || output_.size() + text.size() > most_output_bytes)
        return transition_to(State::broken);
    output_ += frame(text);
    flush();
}

void OwnerConnection::send_event(const store::Event& event) {
    if (output_.size() > most_event_bytes && event.what != store::Event::What::group_changed) {
        ++events_left_out_;
        return;
    }
    if (events_left_out_ > 0) send({{"event", "left_out"}, {"count", std::exchange(events_left_out_, 0)}});
    send(to_json(event));
}

void OwnerConnection::flush() {
    while (!output_.empty() && state_ != State::broken) {
        const ssize_t sent =
            ::send(socket_.get(), output_.data(), output_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent > 0) output_.erase(0, static_cast<std::size_t>(sent));
        if (sent < 0 && errno == EAGAIN) return;
        if (sent < 0 && errno != EINTR) return transition_to(State::broken);
    }
}

void OwnerConnection::stop_reading() {
    ::shutdown(socket_.get(), SHUT_RD);
}

bool OwnerConnection::follows(const store::Event& event) const {
    if (!following_) return false;
    if (following_->group && following_->group != event.group) return false;
    return following_->pages || event.what == store::Event::What::group_changed;
}

}  // namespace quarry::app
