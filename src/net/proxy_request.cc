#include "net/proxy_request.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include <fmt/format.h>

#include "net/http_message.h"
#include "url/url.h"

namespace quarry::net {
namespace {

std::unexpected<Error> unclear() {
    return fail(ErrorCode::invalid_argument, "this is a proxy of quarry's browser, and no request to one");
}

bool is_method(std::string_view word) {
    return !word.empty() && word.size() <= 16 &&
           std::ranges::all_of(word, [](char c) { return (c >= 'A' && c <= 'Z') || c == '-'; });
}

// Headers between two neighbours, which end here, and the host, which the target has said.
bool ends_here(std::string_view name) {
    constexpr std::array<std::string_view, 4> names = {"connection", "keep-alive", "host", "upgrade"};
    const std::string lower = lower_case(name);
    return lower.starts_with("proxy-") || std::ranges::find(names, lower) != names.end();
}

// The lines that are for the other side, each with its end. Calls `see` with the name and value of all.
template <typename See>
Result<std::string> lines_for_other_side(std::string_view headers, See&& see) {
    std::string lines;
    while (!headers.empty()) {
        std::string_view line = take_until(headers, '\n');
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.empty()) break;
        const auto colon = line.find(':');
        const bool is_folded = line.front() == ' ' || line.front() == '\t';
        if (colon == std::string_view::npos || is_folded || line.contains('\r')) return unclear();
        see(lower_case(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
        if (!ends_here(line.substr(0, colon))) lines += fmt::format("{}\r\n", line);
    }
    return lines;
}

// The connection to the server serves one request and then ends, so that nothing meant for one server can
// reach another.
Result<void> complete(ProxyRequest& request, std::string_view method, const url::Url& target,
                      std::string_view headers) {
    const std::string_view authority_and_path =
        std::string_view(target.href()).substr(target.scheme().size() + 3);
    std::string path(
        authority_and_path.substr(std::min(authority_and_path.find('/'), authority_and_path.size())));
    if (const auto hash = path.find('#'); hash != std::string::npos) path.resize(hash);
    std::string host(target.host());
    if (target.port()) host += fmt::format(":{}", *target.port());
    bool is_clear = true;
    const auto lines =
        TRY(lines_for_other_side(headers, [&](const std::string& name, std::string_view value) {
            if (name == "transfer-encoding") request.body_bytes = std::numeric_limits<std::uint64_t>::max();
            if (name != "content-length" || request.body_bytes > 0) return;
            is_clear = std::from_chars(value.data(), value.data() + value.size(), request.body_bytes).ec ==
                       std::errc();
        }));
    if (!is_clear) return unclear();
    request.head =
        fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\n{}Connection: close\r\n\r\n", method, path, host, lines);
    return {};
}

}  // namespace

Result<ProxyRequest> parse_proxy_request(std::string_view head) {
    std::string_view rest = head;
    std::string_view line = take_until(rest, '\n');
    if (!line.ends_with('\r')) return unclear();
    line.remove_suffix(1);
    const std::string_view method = take_until(line, ' ');
    const std::string_view target = take_until(line, ' ');
    if (!is_method(method) || (line != "HTTP/1.1" && line != "HTTP/1.0")) return unclear();
    const bool is_tunnel = method == "CONNECT";
    const auto url = url::Url::parse(is_tunnel ? fmt::format("http://{}/", target) : std::string(target));
    if (!url || url->scheme() != "http" || url->host().empty()) return unclear();
    if (is_tunnel) {
        // The port has to be there, and nothing else.
        const auto colon = target.rfind(':');
        const bool is_plain = colon != std::string_view::npos && is_all_digits(target.substr(colon + 1)) &&
                              target.find_first_of("/?#@\\") == std::string_view::npos;
        if (!is_plain) return unclear();
    }
    ProxyRequest request{.kind = is_tunnel ? ProxyRequestKind::tunnel : ProxyRequestKind::http,
                         .host = std::string(url->host()),
                         .port = url->effective_port()};
    if (!is_tunnel) TRY(complete(request, method, *url, rest));
    return request;
}

std::size_t end_of_head(std::string_view text) {
    for (auto line = text.find('\n'); line != std::string_view::npos; line = text.find('\n', line + 1)) {
        if (text.substr(line + 1).starts_with('\n')) return line + 2;
        if (text.substr(line + 1).starts_with("\r\n")) return line + 3;
    }
    return 0;
}

Result<ProxyResponse> parse_proxy_response(std::string_view head) {
    std::string_view rest = head;
    std::string_view line = take_until(rest, '\n');
    if (line.ends_with('\r')) line.remove_suffix(1);
    const bool is_answer = line.starts_with("HTTP/1.") && line.size() >= 12 && line[8] == ' ' &&
                           is_all_digits(line.substr(9, 3)) && !line.contains('\r');
    if (!is_answer) return fail(ErrorCode::corrupt, "the server does not speak HTTP");
    auto lines = lines_for_other_side(rest, [](const std::string&, std::string_view) {});
    if (!lines) return fail(ErrorCode::corrupt, "the server's headers make no sense");
    if (line[9] == '1') return ProxyResponse{true, fmt::format("{}\r\n{}\r\n", line, *lines)};
    return ProxyResponse{false, fmt::format("{}\r\n{}Connection: close\r\n\r\n", line, *lines)};
}

}  // namespace quarry::net
