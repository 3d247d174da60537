// Fetch pages and read them: what `scrape` does, for one URL or for many.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include <boost/json.hpp>

#include "base/result.h"
#include "extract/extract.h"
#include "fetch/fetcher.h"
#include "fetch/pdf/pdf.h"
#include "fetch/redirect.h"
#include "model/document.h"
#include "model/page.h"
#include "model/page_options.h"
#include "net/address_policy.h"
#include "url/url.h"
#include "work/page/rendering.h"

namespace quarry::browser {
class Pool;
}

namespace quarry::work {

// What became of one URL. A failure is a record too: nothing is silently left out.
struct ScrapeRecord {
    std::string url{};        // as asked for
    std::string final_url{};  // after redirects; "" if nothing answered
    int status_code = 0;      // 0 if nothing answered
    std::string content_type{};
    std::chrono::system_clock::time_point fetched_at{};
    std::optional<Document> document{};
    std::string picture{};           // of the page in the browser, if one was wished for
    boost::json::object branding{};  // how it looks there, if that was
    std::optional<Error> error{};    // set exactly if there is no document
    bool lacks_browser = false;      // it is made by scripts, and there is no browser to run them

    bool success() const { return document.has_value(); }
};

struct ScrapeOptions {
    extract::ExtractOptions extract{};
    fetch::PdfLimits pdf{};
    net::AddressPolicy policy{};
    std::vector<Header> headers{};
    std::shared_ptr<const fetch::Credentials> credentials{};  // by origin, for the local owner
    int concurrency = 5;                                      // pages under way at once, in scrape_all
    Rendering rendering = Rendering::never;
    browser::Pool* browser = nullptr;  // outlives the scraper; needed to render always
    std::string no_browser{};          // why there is none
    RenderWish render{};               // its policy is the one above
};

// Safe to use from many threads at once.
class Scraper {
public:
    // The fetcher must outlive the scraper. Metadata is always read: every record has a title and a
    // description.
    Scraper(fetch::Fetcher& fetcher, ScrapeOptions options)
        : fetcher_(fetcher), options_(std::move(options)) {
        options_.extract.formats.metadata = true;
    }

    // Fetches and reads one page. A status of 400 and above is a failure, worded "HTTP 404 Not Found".
    ScrapeRecord scrape(const std::string& url, std::stop_token stop = {}) const;

    // Scrapes all URLs, `concurrency` at a time, and hands over the records in the order of the URLs, on the
    // calling thread. URLs that name the same page are scraped once, at the place of the first. After a stop
    // request no page is begun, those under way end as `interrupted`, and the call returns with the rest left
    // out. At most a few dozen finished records wait for a slow one before them.
    void scrape_all(std::span<const std::string> urls, const std::function<void(ScrapeRecord)>& deliver,
                    std::stop_token stop = {}) const;

    // How many different pages a list of URLs names: as many records as scrape_all delivers.
    static std::size_t count_pages(std::span<const std::string> urls);

    const ScrapeOptions& options() const { return options_; }

private:
    // A page, and what the browser has to do with it.
    struct Got {
        Page page{};
        bool is_rendered = false;
        std::string picture{}, warning{};
        boost::json::object branding{};
        bool lacks_browser = false;
    };
    std::vector<Header> headers_for(const url::Url& url) const;
    Result<Got> page_at(url::Url address, const std::stop_token& stop) const;
    Result<Got> plain_page(url::Url address, const std::stop_token& stop) const;
    Result<Got> rendered_page(url::Url address, const std::stop_token& stop) const;

    fetch::Fetcher& fetcher_;
    ScrapeOptions options_;
};

// The document's fields as in model/json/output.h, with `url`, `success`, `status_code`, `crawl_timestamp`,
// `title`, `description` and `error` (null, or a sentence, then with a `code`) beside them, and with the
// facts of the fetch (sourceURL, url, statusCode, contentType, error) in `metadata`.
boost::json::object to_json(const ScrapeRecord& record, const Formats& formats);

}  // namespace quarry::work
