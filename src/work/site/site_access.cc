#include "work/site/site_files.h"

#include <fmt/format.h>

#include "fetch/fetch_redirect.h"
#include "net/http_status.h"

namespace quarry::work {

fetch::FetchRequest SiteAccess::request(const url::Url& url,
                                        std::optional<net::HttpLimits> special_limits) const {
    fetch::FetchRequest request{.url = url,
                                .owner = owner,
                                .headers = headers,
                                .policy = policy,
                                .limits = special_limits,
                                .stop = stop};
    const bool is_elsewhere = !headers_origin.empty() && url.origin() != headers_origin;
    if (is_elsewhere) request.headers = fetch::headers_without_secrets(request.headers);
    if (credentials) credentials->add_to(request.headers, url, owner);
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
