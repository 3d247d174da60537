#include "browser/devtools.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <random>

#include <boost/json.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/threads.h"
#include "net/websocket.h"
#include "net/wording.h"

namespace quarry::browser {

namespace {

namespace json = boost::json;

constexpr std::size_t max_depth = 64;
constexpr std::size_t max_words = 300;  // of an error, which a page may have written

Error error_of(const json::object& error) {
    const std::string_view words = text_at(error, "message").substr(0, max_words);
    return {ErrorCode::unavailable, words.empty() ? "the browser refused a command" : std::string(words)};
}

}  // namespace

Result<Message> parse_message(std::string_view text) {
    boost::system::error_code problem;
    json::parse_options options;
    options.max_depth = max_depth;
    // Strings may hold lone surrogates, which JavaScript allows: what a page's strings hold is not checked.
    options.allow_invalid_utf8 = true;
    json::value value = json::parse(text, problem, {}, options);
    if (problem || !value.is_object()) return fail(ErrorCode::corrupt, "the browser's message is not JSON");
    json::object& object = value.get_object();
    Message message{.method = std::string(text_at(object, "method")),
                    .session = std::string(text_at(object, "sessionId"))};
    if (const json::value* id = object.if_contains("id"); id && id->is_int64()) message.id = id->get_int64();
    if (message.id.has_value() == !message.method.empty())
        return fail(ErrorCode::corrupt, "the browser's message is neither an answer nor an event");
    if (const json::value* error = object.if_contains("error"); error && error->is_object())
        message.error = error_of(error->get_object());
    if (json::value* content = object.if_contains(message.id ? "result" : "params");
        content && content->is_object())
        message.content = std::move(content->get_object());
    return message;
}

std::optional<std::int64_t> id_of_beginning(std::string_view beginning) {
    constexpr std::string_view start = "{\"id\":";
    if (!beginning.starts_with(start)) return std::nullopt;
    beginning.remove_prefix(start.size());
    std::int64_t id = 0;
    const auto [end, problem] = std::from_chars(beginning.data(), beginning.data() + beginning.size(), id);
    if (problem != std::errc() || end == beginning.data() + beginning.size() || *end != ',')
        return std::nullopt;
    return id;
}

std::string_view text_at(const json::object& object, std::string_view key) {
    const json::value* value = object.if_contains(key);
    return value && value->is_string() ? std::string_view(value->get_string()) : std::string_view();
}

double number_at(const json::object& object, std::string_view key) {
    const json::value* value = object.if_contains(key);
    if (!value || !value->is_number()) return 0;
    boost::system::error_code problem;
    const double number = value->to_number<double>(problem);
    return problem ? 0 : number;
}

bool flag_at(const json::object& object, std::string_view key) {
    const json::value* value = object.if_contains(key);
    return value && value->is_bool() && value->get_bool();
}

const json::object& object_at(const json::object& object, std::string_view key) {
    static const json::object nothing;
    const json::value* value = object.if_contains(key);
    return value && value->is_object() ? value->get_object() : nothing;
}

namespace {

using net::WebSocketOpcode;

void never_block(const Descriptor& file) {
    fcntl(file.get(), F_SETFL, fcntl(file.get(), F_GETFL) | O_NONBLOCK);
}

class PipeWire final : public Wire {
public:
    PipeWire(Descriptor to_browser, Descriptor from_browser)
        : to_browser_(std::move(to_browser)), from_browser_(std::move(from_browser)) {
        never_block(to_browser_);
        never_block(from_browser_);
    }

    int reading_end() const override { return from_browser_.get(); }
    int writing_end() const override { return to_browser_.get(); }
    ssize_t read(std::span<char> room) override {
        return ::read(from_browser_.get(), room.data(), room.size());
    }
    ssize_t write(std::string_view bytes) override {
        return ::write(to_browser_.get(), bytes.data(), bytes.size());
    }

    void append(std::string& outgoing, std::string_view message) const override {
        outgoing += message;
        outgoing += '\0';
    }
    Result<std::optional<Part>> take(std::string_view& bytes, std::string&) override {
        if (bytes.empty()) return std::nullopt;
        const auto end = bytes.find('\0');
        const Part part{.text = bytes.substr(0, end), .is_end = end != std::string_view::npos};
        bytes.remove_prefix(part.text.size() + (part.is_end ? 1 : 0));
        return part;
    }
    std::string farewell() const override { return {}; }

private:
    Descriptor to_browser_, from_browser_;
};

std::uint32_t new_mask() {
    return std::random_device()();
}

class WebSocketWire final : public Wire {
public:
    explicit WebSocketWire(Descriptor socket) : socket_(std::move(socket)) { never_block(socket_); }

    int reading_end() const override { return socket_.get(); }
    int writing_end() const override { return socket_.get(); }
    ssize_t read(std::span<char> room) override { return recv(socket_.get(), room.data(), room.size(), 0); }
    ssize_t write(std::string_view bytes) override {
        return send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    }

    void append(std::string& outgoing, std::string_view message) const override {
        net::append_frame(outgoing, WebSocketOpcode::text, message, new_mask());
    }
    Result<std::optional<Part>> take(std::string_view& bytes, std::string& replies) override {
        using Kind = net::WebSocketReader::Event::Kind;
        for (;;) {
            const auto event = TRY(reader_.next(bytes));
            if (!event) return std::nullopt;
            switch (event->kind) {
                case Kind::text: return Part{event->bytes, event->is_end};
                case Kind::ping:
                    net::append_frame(replies, WebSocketOpcode::pong, event->bytes, new_mask());
                    break;
                case Kind::close: return fail(ErrorCode::unavailable, "it closed the connection");
            }
        }
    }
    // 1000: normal closure (RFC 6455, 7.4.1).
    std::string farewell() const override {
        std::string bytes;
        net::append_frame(bytes, WebSocketOpcode::close, "\x03\xe8", new_mask());
        return bytes;
    }

private:
    Descriptor socket_;
    net::WebSocketReader reader_;
};

}  // namespace

std::unique_ptr<Wire> pipe_wire(Descriptor to_browser, Descriptor from_browser) {
    return std::make_unique<PipeWire>(std::move(to_browser), std::move(from_browser));
}

std::unique_ptr<Wire> websocket_wire(Descriptor socket) {
    return std::make_unique<WebSocketWire>(std::move(socket));
}

namespace {

namespace json = boost::json;

std::string command_text(std::int64_t id, std::string_view method, std::string_view parameters,
                         const std::string& session) {
    std::string text = fmt::format(R"({{"id":{},"method":"{}","params":{})", id, method, parameters);
    if (!session.empty()) text += fmt::format(R"(,"sessionId":"{}")", session);
    return text + '}';
}

}  // namespace

DevTools::DevTools(std::unique_ptr<Wire> wire, std::string gone, DevToolsLimits limits)
    : wire_(std::move(wire)), gone_(std::move(gone)), limits_(limits) {
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

DevTools::~DevTools() {
    thread_.request_stop();
    wake_.wake();
}

Result<DevTools::Content> DevTools::Pending::wait_until(Deadline deadline) {
    if (answer_.wait_until(deadline) != std::future_status::ready)
        return fail(ErrorCode::timeout, fmt::format("the browser took too long ({})", method_));
    return answer_.get();
}

DevTools::Pending DevTools::send(std::string_view method, Content parameters, const std::string& session) {
    Answer answer;
    Pending pending;
    pending.method_ = method;
    pending.answer_ = answer.get_future();
    post(method, std::move(parameters), session, &answer);
    return pending;
}

void DevTools::tell(std::string_view method, Content parameters, const std::string& session) {
    post(method, std::move(parameters), session, nullptr);
}

void DevTools::post(std::string_view method, Content parameters, const std::string& session, Answer* answer) {
    const std::string text = json::serialize(parameters);
    const bool is_posted = state_.with([&](State& state) {
        const bool has_room = state.outgoing.size() + text.size() < limits_.waiting_bytes;
        if (state.is_closed || !has_room) return false;
        const std::int64_t id = ++state.last_id;
        wire_->append(state.outgoing, command_text(id, method, text, session));
        if (answer) state.waiting.emplace(id, std::move(*answer));
        return true;
    });
    if (is_posted) {
        wake_.wake();
    } else if (answer) {
        answer->set_value(std::unexpected(why_closed()));
    }
}

void DevTools::on_events(const std::string& session, EventHandler handler) {
    handlers_.with([&](Handlers& handlers) {
        if (handler) {
            handlers[session] = std::move(handler);
        } else {
            handlers.erase(session);
        }
    });
}

bool DevTools::is_open() const {
    return state_.with([](const State& state) { return !state.is_closed; });
}

Error DevTools::why_closed() const {
    const std::string why = state_.with([](const State& state) { return state.why_closed; });
    return {ErrorCode::unavailable, why.empty() ? gone_ : fmt::format("{}: {}", gone_, why)};
}

void DevTools::run(const std::stop_token& stop) {
    name_this_thread("devtools");
    while (!stop.stop_requested()) {
        if (!write_some()) break;
        const bool has_more = sent_ < sending_.size();
        std::array<pollfd, 3> waiting{
            pollfd{.fd = wire_->reading_end(), .events = POLLIN, .revents = 0},
            pollfd{.fd = wake_.descriptor(), .events = POLLIN, .revents = 0},
            pollfd{.fd = has_more ? wire_->writing_end() : -1, .events = POLLOUT, .revents = 0}};
        if (poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR) break;
        if (waiting[1].revents != 0) wake_.clear();
        if (waiting[0].revents != 0 && !read_some()) break;
    }
    close();
}

bool DevTools::write_some() {
    if (sent_ == sending_.size()) {
        sending_.clear();
        sent_ = 0;
        state_.with([&](State& state) { std::swap(sending_, state.outgoing); });
    }
    while (sent_ < sending_.size()) {
        const ssize_t written = wire_->write(std::string_view(sending_).substr(sent_));
        if (written > 0) {
            sent_ += static_cast<std::size_t>(written);
        } else if (errno == EAGAIN) {
            return true;
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

bool DevTools::read_some() {
    std::array<char, 64 * 1024> buffer;
    const ssize_t got = wire_->read(buffer);
    if (got > 0) return take_bytes({buffer.data(), static_cast<std::size_t>(got)});
    return got < 0 && (errno == EAGAIN || errno == EINTR);
}

// False if nothing more can be read.
bool DevTools::take_bytes(std::string_view bytes) {
    std::string replies;
    for (;;) {
        const auto part = wire_->take(bytes, replies);
        if (!part) {
            state_.with([&](State& state) { state.why_closed = part.error().message; });
            return false;
        }
        if (!*part) break;
        take_part(**part);
    }
    if (replies.empty()) return true;
    return state_.with([&](State& state) {
        state.outgoing += replies;
        return state.outgoing.size() < limits_.waiting_bytes;
    });
}

void DevTools::take_part(Wire::Part part) {
    if (!is_skipping_ && incoming_.size() + part.text.size() > limits_.message_bytes) {
        is_skipping_ = true;
        incoming_ += part.text.substr(0, 64 - std::min<std::size_t>(64, incoming_.size()));
        if (const auto id = id_of_beginning(std::string_view(incoming_).substr(0, 64)))
            settle(*id, fail(ErrorCode::too_large, fmt::format("the browser's answer is longer than {}",
                                                               net::bytes_in_words(limits_.message_bytes))));
        incoming_ = {};
    }
    if (!is_skipping_) incoming_ += part.text;
    if (!part.is_end) return;
    if (!is_skipping_) take_message(incoming_);
    is_skipping_ = false;
    incoming_.clear();
    if (incoming_.capacity() > (1 << 20)) incoming_.shrink_to_fit();
}

void DevTools::take_message(std::string_view text) {
    auto message = parse_message(text);
    if (!message) return;  // the caller that waits for it gets a time-out
    if (message->id) {
        if (message->error) {
            settle(*message->id, std::unexpected(std::move(*message->error)));
        } else {
            settle(*message->id, std::move(message->content));
        }
        return;
    }
    // Handlers run under the lock, so that a removed handler is not running. A handler must not take the lock
    // again.
    handlers_.with([&](Handlers& handlers) {
        if (const auto found = handlers.find(message->session); found != handlers.end())
            found->second(message->method, message->content);
    });
}

void DevTools::settle(std::int64_t id, Result<Content> result) {
    std::optional<Answer> answer = state_.with([&](State& state) -> std::optional<Answer> {
        const auto found = state.waiting.find(id);
        if (found == state.waiting.end()) return std::nullopt;
        Answer taken = std::move(found->second);
        state.waiting.erase(found);
        return taken;
    });
    if (answer) answer->set_value(std::move(result));
}

void DevTools::close() {
    auto waiting = state_.with([](State& state) {
        state.is_closed = true;
        return std::exchange(state.waiting, {});
    });
    const Error why = why_closed();
    for (auto& [id, answer] : waiting) answer.set_value(std::unexpected(why));
    // In the middle of a message the browser would not understand it.
    const std::string farewell = wire_->farewell();
    if (sent_ == sending_.size() && !farewell.empty()) wire_->write(farewell);
    wire_.reset();
    // Every handler hears that the connection is closed, so that each thread that waits for an event checks
    // again.
    handlers_.with([&](Handlers& handlers) {
        for (auto& [session, handler] : handlers) handler("Quarry.closed", {{"why", why.message}});
    });
}

}  // namespace quarry::browser
