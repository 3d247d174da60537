#include "work/site_access.h"

#include <fmt/format.h>

#include "work/http_status.h"

namespace quarry::work {

Result<Page> SiteAccess::get(const url::Url& url, std::optional<net::HttpLimits> special_limits) const {
    Page page = TRY(fetcher.fetch(
        {.url = url, .headers = headers, .policy = policy, .limits = special_limits, .stop = stop}));
    if (page.status >= 400) {
        return fail(
            http_error_code(page.status),
            fmt::format("cannot fetch {}: {}", url.without_credentials(), http_status_line(page.status)));
    }
    return page;
}

}  // namespace quarry::work
