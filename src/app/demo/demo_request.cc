#include "app/demo/demo_request.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/ascii.h"

namespace quarry::app {
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
