#include "app/demo/server.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <vector>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/threads.h"

namespace quarry::app {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::size_t most_clients = 64;
constexpr auto client_patience = 10s;  // with a client that neither asks nor reads

// One connection: what came in and was not answered, and what was answered and not sent.
struct Client {
    Descriptor socket{};
    std::string received{}, unsent{};
    bool ends = false;  // once everything is sent
    Clock::time_point active_at = Clock::now();

    // False when it is to be closed.
    bool receive() {
        char buffer[4096];
        const ssize_t got = recv(socket.get(), buffer, sizeof buffer, 0);
        if (got < 0) return errno == EAGAIN || errno == EINTR;
        if (got == 0) return false;
        active_at = Clock::now();
        received.append(buffer, static_cast<std::size_t>(got));
        return true;
    }

    bool send_some() {
        while (!unsent.empty()) {
            const ssize_t sent = send(socket.get(), unsent.data(), unsent.size(), MSG_NOSIGNAL);
            if (sent < 0 && errno == EINTR) continue;
            if (sent < 0) return errno == EAGAIN;
            active_at = Clock::now();
            unsent.erase(0, static_cast<std::size_t>(sent));
        }
        return !ends;
    }

    // One answer at a time: a client that does not read gets no second one.
    bool answer(const DemoFiles& files) {
        while (unsent.empty() && !ends) {
            const auto length = request_length(received);
            if (!length) return received.size() <= longest_demo_request;
            DemoAnswer answered = answer_request(std::string_view(received).substr(0, *length), files);
            received.erase(0, *length);
            unsent = std::move(answered.bytes);
            ends = !answered.keep_open;
            if (!send_some()) return false;
        }
        return true;
    }

    bool attend(short events, const DemoFiles& files) {
        if ((events & (POLLERR | POLLNVAL)) != 0) return false;
        if ((events & POLLOUT) != 0 && !send_some()) return false;
        if ((events & (POLLIN | POLLHUP)) != 0 && !receive()) return false;
        return answer(files) && Clock::now() - active_at < client_patience;
    }

    short wanted() const { return unsent.empty() ? POLLIN : POLLOUT; }
};

class Loop {
public:
    Loop(int listener, int wake, const DemoFiles& files) : listener_(listener), wake_(wake), files_(files) {}

    void run() {
        while (wait()) {
            // The first two are the wake-up call and the listener.
            for (std::size_t i = 0; i < clients_.size(); ++i)
                if (!clients_[i].attend(polled_[i + 2].revents, files_)) clients_[i].socket = {};
            std::erase_if(clients_, [](const Client& client) { return !client.socket; });
            if (polled_[1].revents != 0) accept_all();
        }
    }

private:
    // False when it is time to stop.
    bool wait() {
        const bool has_room = clients_.size() < most_clients;
        polled_ = {{wake_, POLLIN, 0}, {listener_, static_cast<short>(has_room ? POLLIN : 0), 0}};
        for (const Client& client : clients_) polled_.push_back({client.socket.get(), client.wanted(), 0});
        const int ready = poll(polled_.data(), polled_.size(), 1'000);
        return (ready >= 0 || errno == EINTR) && polled_[0].revents == 0;
    }

    void accept_all() {
        while (clients_.size() < most_clients) {
            const int socket = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
            if (socket < 0) return;
            clients_.push_back({.socket = Descriptor(socket)});
        }
    }

    const int listener_, wake_;
    const DemoFiles& files_;
    std::vector<Client> clients_;
    std::vector<pollfd> polled_;
};

Error cannot_listen() {
    return {ErrorCode::unavailable, fmt::format("cannot listen on 127.0.0.1: {}", std::strerror(errno))};
}

}  // namespace

DemoServer::DemoServer(Descriptor listener, Descriptor wake, std::uint16_t port)
    : listener_(std::move(listener)), wake_(std::move(wake)), port_(port) {}

Result<std::unique_ptr<DemoServer>> DemoServer::listen() {
    Descriptor listener(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    Descriptor wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* plain = reinterpret_cast<sockaddr*>(&address);
    if (!listener || !wake || bind(listener.get(), plain, length) != 0 ||
        ::listen(listener.get(), static_cast<int>(most_clients)) != 0 ||
        getsockname(listener.get(), plain, &length) != 0)
        return std::unexpected(cannot_listen());
    return std::unique_ptr<DemoServer>(
        new DemoServer(std::move(listener), std::move(wake), ntohs(address.sin_port)));
}

DemoServer::~DemoServer() {
    const std::uint64_t one = 1;
    // It can only fail when a stop is pending already.
    [[maybe_unused]] const ssize_t written = write(wake_.get(), &one, sizeof one);
}

std::string DemoServer::origin() const {
    return fmt::format("http://127.0.0.1:{}", port_);
}

void DemoServer::serve(DemoFiles files) {
    files_ = std::move(files);
    thread_ = std::jthread([this] {
        name_this_thread("demo site");
        Loop(listener_.get(), wake_.get(), files_).run();
    });
}

namespace {

std::string_view reason_of(int status) {
    switch (status) {
        case 200: return "OK";
        case 404: return "Not Found";
        case 405: return "Method Not Allowed";
        default: return "Bad Request";
    }
}

struct Head {
    std::string_view method{}, path{};
    bool is_valid = false, keep_open = false;
};

bool has_header(std::string_view lower_head, std::string_view name) {
    return lower_head.find(fmt::format("\r\n{}:", name)) != std::string_view::npos;
}

Head parse_head(std::string_view request) {
    Head head;
    const std::string_view line = request.substr(0, request.find("\r\n"));
    const auto first = line.find(' '), last = line.rfind(' ');
    if (first == std::string_view::npos || first == last) return head;
    head.method = line.substr(0, first);
    head.path = line.substr(first + 1, last - first - 1);
    head.path = head.path.substr(0, head.path.find_first_of("?#"));
    const std::string_view version = line.substr(last + 1);
    const std::string lower = lower_case(request);
    const bool has_body = has_header(lower, "content-length") || has_header(lower, "transfer-encoding");
    head.is_valid = head.path.starts_with('/') && version.starts_with("HTTP/1.") && !has_body;
    head.keep_open = version == "HTTP/1.1" && lower.find("\r\nconnection: close") == std::string::npos;
    return head;
}

std::string answer_text(int status, const DemoFile& file, const Head& head) {
    std::string text = fmt::format(
        "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: {}\r\n\r\n", status,
        reason_of(status), file.content_type, file.body.size(), head.keep_open ? "keep-alive" : "close");
    if (head.method != "HEAD") text += file.body;
    return text;
}

}  // namespace

std::optional<std::size_t> request_length(std::string_view received) {
    const auto end = received.find("\r\n\r\n");
    if (end == std::string_view::npos) return std::nullopt;
    return end + 4;
}

DemoAnswer answer_request(std::string_view request, const DemoFiles& files) {
    Head head = parse_head(request);
    const auto refuse = [&](int status) {
        const DemoFile words{"text/plain; charset=utf-8", fmt::format("{}\n", reason_of(status))};
        return DemoAnswer{answer_text(status, words, head), head.keep_open};
    };
    if (!head.is_valid) head.keep_open = false;
    if (!head.is_valid) return refuse(400);
    if (head.method != "GET" && head.method != "HEAD") return refuse(405);
    const auto found = files.find(head.path);
    if (found == files.end()) return refuse(404);
    return {answer_text(200, found->second, head), head.keep_open};
}

}  // namespace quarry::app
