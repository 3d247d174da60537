// One URL of a crawl: from what the server answered to what should become true.
// Reading a page computes an outcome and writes nothing; it may first ask for a browser or a language
// model, each once.
// change_of compares a page with its last stored version (change_tracking.cc).
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <variant>

#include <boost/json/fwd.hpp>

#include "base/clock.h"
#include "base/result.h"
#include "browser/request.h"
#include "chat/answer_page.h"
#include "fetch/pdf/pdf.h"
#include "model/document.h"
#include "model/page.h"
#include "store/outcome.h"
#include "store/reader.h"
#include "store/store.h"
#include "url/url.h"
#include "work/crawl_context.h"

namespace quarry::work {

// One URL of a crawl: from what the server answered to what should become true.

// A URL with its answer, on the way from the wire to the store.
struct FetchedUrl {
    store::UrlLease lease{};
    std::shared_ptr<CrawlContext> crawl{};
    Result<Page> page = fail(ErrorCode::interrupted, "not fetched");  // as the browser has it, if `shown`
    std::optional<Result<browser::Rendered>> shown{};                 // what the browser made of it, if asked
    bool has_browser = true;                                          // false: asked, and there is none
    std::optional<chat::PageText> question{};                         // what a model is to read of it
    std::optional<Result<boost::json::object>> answers{};             // and what it said
    bool was_interrupted = false;                                     // on one of these ways
    std::chrono::microseconds fetch_time{};
    std::optional<HostRule> host_rule{};  // if the answer changed how the host is treated
};

// What reading a page needs besides the page.
struct PageTools {
    store::Reader& reader;   // of this thread
    Admissions& admissions;  // of this thread
    fetch::PdfLimits pdf{};
};

// What has to happen before there is an outcome.
struct ToBrowser {};
struct ToModel {
    chat::PageText question{};
};
using Reading = std::variant<store::Outcome, ToBrowser, ToModel>;

// Reads the page: words, links to follow, redirects, errors and when to try again; or who is to be asked
// first, each once. Any thread; nothing is written.
Reading fetch_page(const FetchedUrl& fetched, const PageTools& tools, Timestamp now);

// What goes along with the request: the crawl's headers, and a question whether the page has changed.
std::vector<Header> request_headers(const store::UrlLease& lease, CrawlContext& crawl, const url::Url& url);

// What has become of a page since it was stored last, in the fields of Firecrawl's changeTracking.

// {"previousScrapeAt", "changeStatus": new|same|changed|removed, "visibility", "diff"?: {"text", "json"}}. A
// page is compared with its last version that is still stored; without one, or if that was an error, it is
// new.
Result<boost::json::object> change_of(const FetchedUrl& fetched, const Document& document,
                                      store::Reader& reader);

}  // namespace quarry::work
