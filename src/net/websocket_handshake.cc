#include "net/websocket_handshake.h"

#include <array>
#include <cerrno>
#include <random>

#include <fmt/format.h>
#include <openssl/evp.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/base64.h"
#include "net/header_text.h"

namespace quarry::net {
namespace {

using Deadline = std::chrono::steady_clock::time_point;

constexpr std::size_t longest_head = 16 * 1024;

std::unexpected<Error> no_websocket(std::string_view words) {
    return fail(ErrorCode::corrupt, fmt::format("its answer opens no WebSocket: {}", words));
}

std::string new_key() {
    std::random_device device;
    std::string bytes;
    for (int i = 0; i < 16; ++i) bytes += static_cast<char>(device());
    return encode_base64(bytes);
}

bool lists(std::string_view value, std::string_view word) {
    while (!value.empty())
        if (lower_case(trimmed(take_until(value, ','))) == word) return true;
    return false;
}

Result<void> wait_for(const Descriptor& socket, short events, Deadline deadline) {
    for (;;) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
        if (left.count() <= 0) return fail(ErrorCode::timeout, "it does not answer in time");
        pollfd waiting{.fd = socket.get(), .events = events, .revents = 0};
        if (poll(&waiting, 1, static_cast<int>(left.count())) > 0) return {};
    }
}

std::unexpected<Error> gone() {
    return fail(ErrorCode::unavailable, "it closed the connection instead of opening a WebSocket");
}

Result<void> send_all(const Descriptor& socket, std::string_view text, Deadline deadline) {
    while (!text.empty()) {
        const ssize_t sent = send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL);
        if (sent > 0) {
            text.remove_prefix(static_cast<std::size_t>(sent));
        } else if (errno == EAGAIN) {
            TRY(wait_for(socket, POLLOUT, deadline));
        } else if (errno != EINTR) {
            return gone();
        }
    }
    return {};
}

// Byte by byte: what follows the head is a frame, and for somebody else to read.
Result<std::string> receive_head(const Descriptor& socket, Deadline deadline) {
    std::string head;
    while (!head.ends_with("\r\n\r\n")) {
        char byte = 0;
        const ssize_t got = recv(socket.get(), &byte, 1, 0);
        if (got > 0) {
            head += byte;
            if (head.size() > longest_head) return no_websocket("it is too long");
        } else if (got < 0 && errno == EAGAIN) {
            TRY(wait_for(socket, POLLIN, deadline));
        } else if (got == 0 || errno != EINTR) {
            return gone();
        }
    }
    return head;
}

}  // namespace

std::string websocket_request(const WebSocketRequest& request, std::string_view key) {
    return fmt::format(
        "GET {} HTTP/1.1\r\nHost: {}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: {}\r\nSec-WebSocket-Version: 13\r\n\r\n",
        request.target, request.host, key);
}

std::string websocket_proof(std::string_view key) {
    const std::string text = std::string(key) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha1(), nullptr);
    return encode_base64({reinterpret_cast<const char*>(digest.data()), size});
}

Result<void> check_websocket_answer(std::string_view head, std::string_view key) {
    std::string_view rest = head;
    std::string_view line = trimmed(take_until(rest, '\n'));
    const bool is_answer =
        line.starts_with("HTTP/1.1 ") && line.size() >= 12 && is_all_digits(line.substr(9, 3));
    if (!is_answer) return no_websocket("it is not HTTP/1.1");
    if (line.substr(9, 3) != "101")
        return fail(ErrorCode::unavailable,
                    fmt::format("it opens no WebSocket, but answers HTTP {}", line.substr(9, 3)));
    bool is_upgrade = false, is_websocket = false, is_proved = false;
    while (!rest.empty()) {
        line = trimmed(take_until(rest, '\n'));
        const std::string name = lower_case(trimmed(take_until(line, ':')));
        const std::string_view value = trimmed(line);
        if (name == "connection") is_upgrade = is_upgrade || lists(value, "upgrade");
        if (name == "upgrade") is_websocket = lower_case(value) == "websocket";
        if (name == "sec-websocket-accept") is_proved = value == websocket_proof(key);
        // Neither was asked for: they would change what frames mean.
        if (name == "sec-websocket-extensions" || name == "sec-websocket-protocol")
            return no_websocket(fmt::format("nobody asked for {}", name));
    }
    if (!is_upgrade || !is_websocket) return no_websocket("it switches to something else");
    if (!is_proved) return no_websocket("its Sec-WebSocket-Accept is wrong");
    return {};
}

Result<void> begin_websocket(const Descriptor& socket, const WebSocketRequest& request, Deadline deadline) {
    const std::string key = new_key();
    TRY(send_all(socket, websocket_request(request, key), deadline));
    return check_websocket_answer(TRY(receive_head(socket, deadline)), key);
}

}  // namespace quarry::net
