#include "servers/connection.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

namespace quarry::test {

namespace {

constexpr std::size_t most_request_bytes = 4 * 1024 * 1024;

std::string percent_decoded(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%' && i + 2 < text.size()) {
            out += static_cast<char>(std::strtol(std::string(text.substr(i + 1, 2)).c_str(), nullptr, 16));
            i += 2;
        } else {
            out += text[i];
        }
    }
    return out;
}

ServerRequest parse_head(std::string_view head) {
    ServerRequest request;
    const auto line_end = head.find("\r\n");
    const std::string_view line = head.substr(0, line_end);
    const auto first_space = std::min(line.find(' '), line.size());
    const auto last_space = std::max(line.rfind(' '), first_space);
    request.method = line.substr(0, first_space);
    request.target = line.substr(std::min(first_space + 1, line.size()), last_space - first_space - 1);
    request.path = request.target.substr(0, request.target.find('?'));
    for (std::size_t at = line_end + 2; at < head.size();) {
        const auto end = std::min(head.find("\r\n", at), head.size());
        const std::string_view header = head.substr(at, end - at);
        if (const auto colon = header.find(": "); colon != header.npos)
            request.headers.push_back(
                {std::string(header.substr(0, colon)), std::string(header.substr(colon + 2))});
        at = end + 2;
    }
    return request;
}

}  // namespace

std::string ServerRequest::parameter(std::string_view name) const {
    const auto question = target.find('?');
    if (question == target.npos) return {};
    std::string_view rest = std::string_view(target).substr(question + 1);
    while (!rest.empty()) {
        const auto end = std::min(rest.find('&'), rest.size());
        const std::string_view pair = rest.substr(0, end);
        const auto equals = std::min(pair.find('='), pair.size());
        if (pair.substr(0, equals) == name)
            return percent_decoded(pair.substr(std::min(equals + 1, pair.size())));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return {};
}

bool Connection::receive_more() {
    char buffer[16 * 1024];
    const auto count = recv(socket_, buffer, sizeof buffer, 0);
    if (count <= 0) return false;
    received_.append(buffer, static_cast<std::size_t>(count));
    return received_.size() <= most_request_bytes;
}

std::optional<ServerRequest> Connection::read_request() {
    std::size_t head_end = received_.npos;
    while ((head_end = received_.find("\r\n\r\n")) == received_.npos)
        if (!receive_more()) return std::nullopt;
    ServerRequest request = parse_head(std::string_view(received_).substr(0, head_end));
    const std::string length(header_value(request.headers, "Content-Length"));
    const std::size_t total = head_end + 4 + std::strtoul(length.c_str(), nullptr, 10);
    while (received_.size() < total)
        if (!receive_more()) return std::nullopt;
    request.body = received_.substr(head_end + 4, total - head_end - 4);
    received_.erase(0, total);
    return request;
}

bool Connection::send(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (count <= 0) {
            is_open_ = false;
            return false;
        }
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

bool Connection::send_head(int status, const std::vector<Header>& headers) {
    std::string head = fmt::format("HTTP/1.1 {} Status\r\n", status);
    for (const Header& header : headers) head += fmt::format("{}: {}\r\n", header.name, header.value);
    return send(head + "\r\n");
}

bool Connection::respond(int status, const std::vector<Header>& headers, std::string_view body) {
    std::vector<Header> all = headers;
    all.push_back({"Content-Length", std::to_string(body.size())});
    return send_head(status, all) && send(body);
}

void Connection::wait_for_close() {
    is_open_ = false;
    while (receive_more()) {
    }
}

bool Connection::pause(std::chrono::milliseconds duration) {
    pollfd waiting{.fd = socket_, .events = POLLRDHUP, .revents = 0};
    const bool has_ended = poll(&waiting, 1, static_cast<int>(duration.count())) != 0;
    if (has_ended) is_open_ = false;
    return !has_ended;
}

void Connection::reset() {
    is_open_ = false;
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

}  // namespace quarry::test
