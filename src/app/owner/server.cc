#include "app/owner/server.h"

#include <algorithm>
#include <cerrno>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

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

namespace {

namespace json = boost::json;

constexpr std::size_t most_connections = 256;
constexpr std::size_t most_events_waiting = 20'000;
constexpr int request_thread_count = 4;
constexpr std::chrono::milliseconds rest{100};  // while there is no descriptor for who comes

std::optional<GroupId> group_in(const json::object& params) {
    const json::value* group = params.if_contains("group");
    if (!group || !group->is_int64()) return std::nullopt;
    return GroupId{group->get_int64()};
}

ino_t inode_of(const std::string& path) {
    struct stat status{};
    return ::stat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

}  // namespace

Result<std::unique_ptr<OwnerServer>> OwnerServer::start(const std::string& socket_path, Greeting greeting,
                                                        Handler handler, std::optional<gid_t> group) {
    std::unique_ptr<OwnerServer> server(
        new OwnerServer(socket_path, std::move(greeting), std::move(handler), group));
    server->listener_ = TRY(listen_at(socket_path, group));
    server->socket_inode_ = inode_of(socket_path);
    server->wake_ = Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!server->wake_) return fail(ErrorCode::unavailable, "there are no more file descriptors");
    for (int i = 0; i < request_thread_count; ++i)
        server->request_threads_.emplace_back([raw = server.get()] { raw->run_requests(); });
    server->io_thread_ = std::jthread([raw = server.get()] { raw->run_io(); });
    return server;
}

OwnerServer::OwnerServer(std::string socket_path, Greeting greeting, Handler handler,
                         std::optional<gid_t> group)
    : socket_path_(std::move(socket_path)),
      greeting_(std::move(greeting)),
      handler_(std::move(handler)),
      group_(group) {}

OwnerServer::~OwnerServer() {
    leave();
}

void OwnerServer::leave() {
    // There is none if the machine had no thread left for it.
    if (io_thread_.joinable()) {
        post([](Mail& mail) { mail.leave = true; });
        io_thread_.join();
    }
    requests_.close();
    request_threads_.clear();
}

void OwnerServer::publish(std::span<const store::Event> events) {
    if (!is_followed_.load(std::memory_order_relaxed)) return;
    post([&](Mail& mail) {
        for (const store::Event& event : events)
            if (mail.events.size() < most_events_waiting || event.what == store::Event::What::group_changed)
                mail.events.push_back(event);
    });
}

void OwnerServer::post(const std::function<void(Mail&)>& change) {
    mail_.with(change);
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &one, sizeof one);
}

// What the machine cannot give to one request, memory or a thread, ends that request.
Result<json::value> OwnerServer::handle_in_peace(const Request& request) const {
    try {
        return handler_(request.method, request.params);
    } catch (const std::exception& failure) {
        return fail(ErrorCode::unavailable,
                    fmt::format("this was given up, because the machine is short of memory or threads: {}",
                                failure.what()));
    }
}

void OwnerServer::run_requests() {
    while (auto request = requests_.pop()) {
        auto result = handle_in_peace(*request);
        json::object message{{"id", std::move(request->id)}};
        if (result) {
            message["result"] = *std::move(result);
        } else {
            message["error"] = to_json(result.error());
        }
        post([&](Mail& mail) { mail.answers.push_back({request->from, std::move(message)}); });
    }
}

void OwnerServer::run_io() {
    while (!is_leaving_ || !connections_.empty()) {
        wait_for_sockets();
        take_mail();
        for (auto& [id, connection] : connections_) handle_messages(id, connection);
        forget_done();
    }
}

void OwnerServer::take_mail() {
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t got = ::read(wake_.get(), &count, sizeof count);
    Mail mail = mail_.with([](Mail& waiting) { return std::exchange(waiting, {}); });
    for (Answer& answer : mail.answers) {
        const auto found = connections_.find(answer.to);
        if (found == connections_.end()) continue;
        found->second.send(answer.message);
        found->second.transition_to(OwnerConnection::State::ready);
    }
    for (const store::Event& event : mail.events)
        for (auto& [id, connection] : connections_)
            if (connection.follows(event)) connection.send_event(event);
    if (mail.leave && !is_leaving_) begin_to_leave();
}

void OwnerServer::begin_to_leave() {
    is_leaving_ = true;
    accept_connections();  // Those that connected already are told, too.
    // Somebody may have removed the whole folder and begun anew: then another's socket lies there.
    if (inode_of(socket_path_) == socket_inode_) ::unlink(socket_path_.c_str());
    listener_ = Descriptor();
    for (auto& [id, connection] : connections_) connection.stop_reading();
}

void OwnerServer::wait_for_sockets() {
    const auto now = std::chrono::steady_clock::now();
    const bool is_resting = now < accepts_from_;
    std::vector<pollfd> waits = {{wake_.get(), POLLIN, 0}, {is_resting ? -1 : listener_.get(), POLLIN, 0}};
    std::vector<OwnerConnection*> waiting;
    for (auto& [id, connection] : connections_) {
        const int events =
            (connection.wants_to_read() ? POLLIN : 0) | (connection.wants_to_write() ? POLLOUT : 0);
        waits.push_back({connection.socket(), static_cast<short>(events), 0});
        waiting.push_back(&connection);
    }
    // An owner that leaves waits a moment for slow readers, no longer.
    constexpr int patience_ms = 2'000;
    const int timeout_ms = is_leaving_ ? patience_ms : is_resting ? static_cast<int>(rest.count()) : -1;
    const int ready = ::poll(waits.data(), waits.size(), timeout_ms);
    if (ready == 0 && is_leaving_) {
        for (OwnerConnection* connection : waiting)
            if (connection->state() != OwnerConnection::State::busy)
                connection->transition_to(OwnerConnection::State::broken);
    }
    if (ready <= 0) return;
    for (std::size_t i = 0; i < waiting.size(); ++i) {
        const short happened = waits[i + 2].revents;
        if ((happened & POLLOUT) != 0) waiting[i]->flush();
        if ((happened & (POLLIN | POLLHUP | POLLERR)) != 0 && waiting[i]->wants_to_read())
            waiting[i]->receive();
        if ((happened & (POLLHUP | POLLERR)) != 0 && !waiting[i]->wants_to_read())
            waiting[i]->transition_to(OwnerConnection::State::broken);
    }
    if (waits[1].revents != 0) accept_connections();
}

void OwnerServer::accept_connections() {
    while (true) {
        Descriptor socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        const bool has_none_left = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
        // Who waits goes on waiting, and would be told of again at once.
        if (!socket && has_none_left) accepts_from_ = std::chrono::steady_clock::now() + rest;
        if (!socket) return;
        // Who may connect to a group's socket is the file's to say: a peer's groups are not all known here.
        const bool is_allowed = group_ || is_own_peer(socket.get());
        if (!is_allowed || connections_.size() >= most_connections) continue;
        connections_.emplace(next_id_++, OwnerConnection(std::move(socket)));
    }
}

void OwnerServer::handle_messages(ConnectionId id, OwnerConnection& connection) {
    using State = OwnerConnection::State;
    while (connection.state() == State::greeting || connection.state() == State::ready) {
        auto message = connection.next_message();
        if (!message) return;
        if (connection.state() == State::greeting) {
            handle_greeting(connection, *message);
        } else {
            handle_request(id, connection, *std::move(message));
        }
    }
}

void OwnerServer::handle_greeting(OwnerConnection& connection, const json::object& message) {
    const auto theirs = parse_greeting(message);
    if (!theirs) return connection.transition_to(OwnerConnection::State::broken);
    connection.send(to_json(greeting_));
    connection.transition_to(OwnerConnection::State::ready);
}

void OwnerServer::handle_request(ConnectionId id, OwnerConnection& connection, json::object message) {
    const json::value* method = message.if_contains("method");
    if (!method || !method->is_string()) return connection.transition_to(OwnerConnection::State::broken);
    Request request{.from = id, .method = std::string(method->get_string())};
    if (const json::value* number = message.if_contains("id")) request.id = *number;
    if (json::value* params = message.if_contains("params"); params && params->is_object())
        request.params = std::move(params->get_object());
    if (request.method == "follow") {
        const json::value* pages = request.params.if_contains("pages");
        connection.follow({.group = group_in(request.params), .pages = pages && *pages == json::value(true)});
        is_followed_ = true;
        return connection.send({{"id", std::move(request.id)}, {"result", json::object()}});
    }
    connection.transition_to(OwnerConnection::State::busy);
    requests_.push(std::move(request));
}

void OwnerServer::forget_done() {
    std::erase_if(connections_, [](const auto& entry) { return entry.second.is_done(); });
    is_followed_ =
        std::ranges::any_of(connections_, [](const auto& entry) { return entry.second.is_following(); });
}

}  // namespace quarry::app
