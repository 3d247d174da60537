#include "program/raw_client.h"

#include <utility>

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace quarry::test {

RawClient::RawClient(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
}

RawClient::~RawClient() {
    if (socket_ >= 0) ::close(socket_);
}

RawClient::RawClient(RawClient&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), received_(std::move(other.received_)) {}

bool RawClient::send(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

const std::string& RawClient::read_until(std::string_view end) {
    char buffer[65536];
    while (end.empty() || received_.find(end) == std::string::npos) {
        const ssize_t got = ::recv(socket_, buffer, sizeof buffer, 0);
        if (got <= 0) break;
        received_.append(buffer, static_cast<std::size_t>(got));
    }
    return received_;
}

const std::string& RawClient::read_all() {
    return read_until("");
}

bool RawClient::is_hung_up() const {
    pollfd wait{.fd = socket_, .events = POLLRDHUP, .revents = 0};
    return ::poll(&wait, 1, 0) > 0 && wait.revents != 0;
}

std::string websocket_request(std::string_view path, std::string_view protocol) {
    return fmt::format(
        "GET {} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        "Sec-WebSocket-Protocol: {}\r\n\r\n",
        path, protocol);
}

}  // namespace quarry::test
