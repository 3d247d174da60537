#include "net/websocket.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <random>

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/base64.h"
#include "net/curl.h"
#include "net/http_message.h"
#include "net/transfer.h"

namespace quarry::net {

namespace {

constexpr long seconds_until_probe = 10, seconds_between_probes = 5;
constexpr unsigned longest_silence_ms = 25'000;

// curl looks names up within a time and tries addresses of both kinds; its socket is copied, since it goes
// with the handle.
Result<Descriptor> connect(const url::Url& url, std::chrono::milliseconds timeout) {
    ensure_curl_is_initialised();
    const UrlHandle curl_url = TRY(to_curl_url(url));
    const EasyHandle easy(curl_easy_init());
    curl_easy_setopt(easy.get(), CURLOPT_CURLU, curl_url.get());
    curl_easy_setopt(easy.get(), CURLOPT_CONNECT_ONLY, 1L);
    curl_easy_setopt(easy.get(), CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy.get(), CURLOPT_PROXY, "");
    curl_easy_setopt(easy.get(), CURLOPT_QUICK_EXIT, 1L);
    curl_easy_setopt(easy.get(), CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(timeout.count()));
    curl_easy_setopt(easy.get(), CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(easy.get(), CURLOPT_TCP_KEEPIDLE, seconds_until_probe);
    curl_easy_setopt(easy.get(), CURLOPT_TCP_KEEPINTVL, seconds_between_probes);
    const CURLcode code = curl_easy_perform(easy.get());
    if (code != CURLE_OK) {
        TransferFacts facts{.host = std::string(url.host()),
                            .port = url.effective_port(),
                            .limits = {.timeout = timeout, .connect_timeout = timeout}};
        curl_easy_getinfo(easy.get(), CURLINFO_OS_ERRNO, &facts.system_error);
        return std::unexpected(describe_failure(code, facts));
    }
    curl_socket_t socket = CURL_SOCKET_BAD;
    curl_easy_getinfo(easy.get(), CURLINFO_ACTIVESOCKET, &socket);
    Descriptor copy(fcntl(socket, F_DUPFD_CLOEXEC, 0));
    if (!copy.is_open()) return fail(ErrorCode::unavailable, "no descriptor is left");
    return copy;
}

}  // namespace

Result<Dialled> dial(const std::string& host, std::uint16_t port, std::chrono::milliseconds timeout) {
    const url::Url place = TRY(url::Url::parse(fmt::format("http://{}:{}/", host, port)));
    Descriptor socket = TRY(connect(place, timeout));
    fcntl(socket.get(), F_SETFL, fcntl(socket.get(), F_GETFL) | O_NONBLOCK);
    setsockopt(socket.get(), IPPROTO_TCP, TCP_USER_TIMEOUT, &longest_silence_ms, sizeof longest_silence_ms);
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    const auto peer = getpeername(socket.get(), any, &size) == 0 ? Address::from_sockaddr(any) : std::nullopt;
    if (!peer) return fail(ErrorCode::unavailable, fmt::format("{} closed the connection", host));
    return Dialled{std::move(socket), *peer};
}

namespace {

constexpr unsigned final_bit = 0x80, reserved_bits = 0x70, opcode_bits = 0x0f, mask_bit = 0x80;
constexpr std::uint64_t longest_control = 125;
constexpr unsigned two_bytes_follow = 126, eight_bytes_follow = 127;

void append_number(std::string& bytes, std::uint64_t number, int size) {
    for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift);
}

std::uint64_t number_in(std::string_view bytes) {
    std::uint64_t number = 0;
    for (const char byte : bytes) number = number << 8 | static_cast<unsigned char>(byte);
    return number;
}

constexpr bool is_control(WebSocketOpcode opcode) {
    return opcode >= WebSocketOpcode::close;
}

std::unexpected<Error> wrong(std::string words) {
    return fail(ErrorCode::corrupt, "this is no WebSocket: " + std::move(words));
}

// Of the first two bytes and the length that they announce.
constexpr std::size_t head_bytes(unsigned length_byte) {
    const unsigned length = length_byte & ~mask_bit;
    return length == two_bytes_follow ? 4 : length == eight_bytes_follow ? 10 : 2;
}

}  // namespace

void append_frame(std::string& bytes, WebSocketOpcode opcode, std::string_view payload, std::uint32_t mask) {
    bytes += static_cast<char>(final_bit | static_cast<unsigned>(opcode));
    if (payload.size() <= longest_control) {
        bytes += static_cast<char>(mask_bit | payload.size());
    } else if (payload.size() <= 0xffff) {
        bytes += static_cast<char>(mask_bit | two_bytes_follow);
        append_number(bytes, payload.size(), 2);
    } else {
        bytes += static_cast<char>(mask_bit | eight_bytes_follow);
        append_number(bytes, payload.size(), 8);
    }
    std::string key;
    append_number(key, mask, 4);
    bytes += key;
    for (std::size_t i = 0; i < payload.size(); ++i) bytes += static_cast<char>(payload[i] ^ key[i % 4]);
}

// False if there is not all of it yet.
Result<bool> WebSocketReader::read_head(std::string_view& bytes) {
    while (head_.size() < 2 || head_.size() < head_bytes(static_cast<unsigned char>(head_[1]))) {
        if (bytes.empty()) return false;
        head_ += bytes.front();
        bytes.remove_prefix(1);
    }
    const auto first = static_cast<unsigned char>(head_[0]), second = static_cast<unsigned char>(head_[1]);
    const std::string_view longer = std::string_view(head_).substr(2);
    left_ = longer.empty() ? second & ~mask_bit : number_in(longer);
    is_final_ = (first & final_bit) != 0;
    opcode_ = static_cast<WebSocketOpcode>(first & opcode_bits);
    if ((first & reserved_bits) != 0) return wrong("reserved bits are set");
    if ((second & mask_bit) != 0) return wrong("a server masks nothing");
    const std::uint64_t least = longer.size() == 2 ? longest_control + 1 : longer.empty() ? 0 : 0x10000;
    if (left_ < least || left_ >> 63 != 0) return wrong("a length is written in the wrong way");
    switch (opcode_) {
        case WebSocketOpcode::continuation:
            if (!is_in_message_) return wrong("nothing is to be continued");
            break;
        case WebSocketOpcode::text:
            if (is_in_message_) return wrong("a message begins inside of another");
            is_in_message_ = true;
            break;
        case WebSocketOpcode::close:
        case WebSocketOpcode::ping:
        case WebSocketOpcode::pong:
            if (!is_final_ || left_ > longest_control) return wrong("a control frame is too long");
            break;
        default:
            if ((first & opcode_bits) == 2)
                return fail(ErrorCode::unsupported, "this WebSocket sends binary messages");
            return wrong("a frame is of an unknown kind");
    }
    head_.clear();
    control_.clear();
    return true;
}

std::optional<WebSocketReader::Event> WebSocketReader::read_control(std::string_view part) {
    control_ += part;
    if (left_ > 0) return std::nullopt;
    is_in_frame_ = false;
    const auto kind = opcode_ == WebSocketOpcode::ping ? Event::Kind::ping : Event::Kind::close;
    return Event{.kind = kind, .bytes = control_, .is_end = true};
}

Result<std::optional<WebSocketReader::Event>> WebSocketReader::next(std::string_view& bytes) {
    for (;;) {
        if (!is_in_frame_) is_in_frame_ = TRY(read_head(bytes));
        if (!is_in_frame_) return std::nullopt;
        const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
        const std::string_view part = bytes.substr(0, size);
        bytes.remove_prefix(size);
        left_ -= size;
        if (is_control(opcode_)) {
            auto event = read_control(part);
            if (!event) return std::nullopt;
            if (opcode_ != WebSocketOpcode::pong) return event;
            continue;  // nobody asked for it, and nobody may mind
        }
        is_in_frame_ = left_ > 0;
        const bool is_end = !is_in_frame_ && is_final_;
        if (is_end) is_in_message_ = false;
        if (!part.empty() || is_end) return Event{.kind = Event::Kind::text, .bytes = part, .is_end = is_end};
        if (is_in_frame_) return std::nullopt;  // and not an empty fragment, after which there may be more
    }
}

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
