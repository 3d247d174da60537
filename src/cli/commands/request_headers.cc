#include "cli/commands/request_headers.h"

#include <set>

#include <fmt/format.h>

#include "app/services/web_access.h"
#include "cli/output/terminal.h"
#include "net/request_headers.h"
#include "url/page_address.h"

namespace quarry::cli {

void add_header_options(Parser& parser, HeaderOptions& options) {
    // One value per flag, or "--header 'A: b' https://…" would swallow the URL.
    parser.add_option("-H,--header", options.headers, "Header to send, for instance 'Accept-Language: de'");
    parser.add_option("--cookie", options.cookies, "Cookie to send, name=value");
}

Result<std::vector<Header>> request_headers(const HeaderOptions& options) {
    std::vector<Header> headers;
    for (const std::string& line : options.headers) {
        const auto colon = line.find(':');
        if (colon == std::string::npos || colon == 0)
            return fail(ErrorCode::invalid_argument,
                        fmt::format("\"{}\" is not a header such as 'Accept-Language: de'", line));
        const auto start = line.find_first_not_of(' ', colon + 1);
        headers.push_back({line.substr(0, colon), start == std::string::npos ? "" : line.substr(start)});
    }
    if (!options.cookies.empty())
        headers.push_back({"Cookie", fmt::format("{}", fmt::join(options.cookies, "; "))});
    TRY(net::check_request_headers(headers));
    return headers;
}

Result<std::vector<Header>> request_headers(const HeaderOptions& options, const app::Settings& settings,
                                            std::span<const std::string> urls) {
    std::vector<Header> headers = TRY(request_headers(options));
    std::string authorization = TRY(app::authorization_of_commands(settings));
    if (authorization.empty() || !header_value(headers, "Authorization").empty()) return headers;
    std::set<std::string> origins;
    for (const std::string& text : urls)
        if (const auto url = url::parse_page_address(text)) origins.insert(url->origin());
    if (origins.size() > 1) {
        say("note: fetch.basic_auth and fetch.bearer_token are for one origin, and these URLs are of "
            "several: they are "
            "not sent. Name each origin in a file of credentials (fetch.credentials, docs/credentials.md)");
        return headers;
    }
    headers.push_back({"Authorization", std::move(authorization)});
    TRY(net::check_request_headers(headers));
    return headers;
}

}  // namespace quarry::cli
