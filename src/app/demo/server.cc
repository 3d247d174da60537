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

#include "app/demo/demo_request.h"
#include "base/thread_name.h"

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

}  // namespace quarry::app
