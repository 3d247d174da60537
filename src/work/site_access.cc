#include "work/site_access.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "net/http_status.h"

namespace quarry::work {

namespace {

bool says_who_asks(const Header& header) {
    constexpr std::array harmless{std::string_view{"accept"}, std::string_view{"accept-language"},
                                  std::string_view{"user-agent"}};
    std::string name = header.name;
    std::ranges::transform(name, name.begin(), [](unsigned char letter) { return std::tolower(letter); });
    return std::ranges::find(harmless, name) == harmless.end();
}

}  // namespace

fetch::FetchRequest SiteAccess::request(const url::Url& url,
                                        std::optional<net::HttpLimits> special_limits) const {
    fetch::FetchRequest request{
        .url = url, .headers = headers, .policy = policy, .limits = special_limits, .stop = stop};
    const bool is_elsewhere = !headers_origin.empty() && url.origin() != headers_origin;
    if (is_elsewhere) std::erase_if(request.headers, says_who_asks);
    return request;
}

Result<Page> SiteAccess::get(const url::Url& url, std::optional<net::HttpLimits> special_limits) const {
    Page page = TRY(fetcher.fetch(request(url, special_limits)));
    if (page.status >= 400) {
        return fail(net::http_error_code(page.status),
                    fmt::format("cannot fetch {}: {}", url.without_credentials(),
                                net::http_status_line(page.status)));
    }
    return page;
}

}  // namespace quarry::work
