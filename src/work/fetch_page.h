// One URL of a crawl: from what the server answered to what should become true.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "base/clock.h"
#include "base/result.h"
#include "fetch/pdf.h"
#include "model/page.h"
#include "store/outcome.h"
#include "store/reader.h"
#include "store/store.h"
#include "url/url.h"
#include "work/admissions.h"
#include "work/crawl_context.h"

namespace quarry::work {

// A URL with its answer, on the way from the wire to the store.
struct FetchedUrl {
    store::UrlLease lease{};
    std::shared_ptr<CrawlContext> crawl{};
    Result<Page> page = fail(ErrorCode::interrupted, "not fetched");
    std::chrono::microseconds fetch_time{};
    std::optional<store::HostRule> host_rule{};  // if the answer changed how the host is treated
};

// What reading a page needs besides the page.
struct PageTools {
    store::Reader& reader;   // of this thread
    Admissions& admissions;  // of this thread
    fetch::PdfLimits pdf{};
};

// Reads the page: words, links to follow, redirects, errors and when to try again. Any thread; nothing is
// written.
store::Outcome fetch_page(const FetchedUrl& fetched, const PageTools& tools, Timestamp now);

// What goes along with the request: the crawl's headers, and a question whether the page has changed.
std::vector<Header> request_headers(const store::UrlLease& lease, CrawlContext& crawl, const url::Url& url);

}  // namespace quarry::work
