#include "browser/devtools.h"

#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "base/thread_name.h"
#include "net/wording.h"

namespace quarry::browser {
namespace {

namespace json = boost::json;

std::unexpected<Error> gone() {
    return fail(ErrorCode::unavailable, "the browser has ended");
}

void never_block(const Descriptor& file) {
    fcntl(file.get(), F_SETFL, fcntl(file.get(), F_GETFL) | O_NONBLOCK);
}

}  // namespace

DevTools::DevTools(Descriptor to_browser, Descriptor from_browser, DevToolsLimits limits)
    : limits_(limits), to_browser_(std::move(to_browser)), from_browser_(std::move(from_browser)) {
    never_block(to_browser_);
    never_block(from_browser_);
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
        fmt::format_to(std::back_inserter(state.outgoing), R"({{"id":{},"method":"{}","params":{})", id,
                       method, text);
        if (!session.empty())
            fmt::format_to(std::back_inserter(state.outgoing), R"(,"sessionId":"{}")", session);
        state.outgoing += '}';
        state.outgoing += '\0';
        if (answer) state.waiting.emplace(id, std::move(*answer));
        return true;
    });
    if (is_posted) {
        wake_.wake();
    } else if (answer) {
        answer->set_value(gone());
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

void DevTools::run(const std::stop_token& stop) {
    name_this_thread("devtools");
    while (!stop.stop_requested()) {
        if (!write_some()) break;
        const bool has_more = sent_ < sending_.size();
        std::array<pollfd, 3> waiting{
            pollfd{.fd = from_browser_.get(), .events = POLLIN, .revents = 0},
            pollfd{.fd = wake_.descriptor(), .events = POLLIN, .revents = 0},
            pollfd{.fd = has_more ? to_browser_.get() : -1, .events = POLLOUT, .revents = 0}};
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
        const ssize_t written = write(to_browser_.get(), sending_.data() + sent_, sending_.size() - sent_);
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
    const ssize_t got = read(from_browser_.get(), buffer.data(), buffer.size());
    if (got > 0) take_bytes({buffer.data(), static_cast<std::size_t>(got)});
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

void DevTools::take_bytes(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto end = bytes.find('\0');
        const std::string_view part = bytes.substr(0, end);
        if (!is_skipping_ && incoming_.size() + part.size() > limits_.message_bytes) {
            is_skipping_ = true;
            if (const auto id = id_of_beginning(std::string_view(incoming_).substr(0, 64)))
                settle(*id,
                       fail(ErrorCode::too_large, fmt::format("the browser's answer is longer than {}",
                                                              net::bytes_in_words(limits_.message_bytes))));
            incoming_ = {};
        }
        if (!is_skipping_) incoming_ += part;
        if (end == std::string_view::npos) return;
        bytes.remove_prefix(end + 1);
        if (!is_skipping_) take_message(incoming_);
        is_skipping_ = false;
        incoming_.clear();
        if (incoming_.capacity() > (1 << 20)) incoming_.shrink_to_fit();
    }
}

void DevTools::take_message(std::string_view text) {
    auto message = parse_message(text);
    if (!message) return;  // whoever waited for it will hear that it took too long
    if (message->id) {
        if (message->error) {
            settle(*message->id, std::unexpected(std::move(*message->error)));
        } else {
            settle(*message->id, std::move(message->content));
        }
        return;
    }
    // Handlers run under the lock, so that one that was taken away is not running; they may not take it
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
    for (auto& [id, answer] : waiting) answer.set_value(gone());
    to_browser_.close();
    // The events of a closed connection: everybody who waits for one must look again.
    handlers_.with([](Handlers& handlers) {
        for (auto& [session, handler] : handlers) handler("Quarry.closed", {});
    });
}

}  // namespace quarry::browser
