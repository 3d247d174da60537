// What clients of Firecrawl ask for, in its names, as options of a crawl. What they may not ask for
// (addresses of private networks, another's name) is not read, and names that mean nothing here are ignored.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/fwd.hpp>

#include "api/server/fields.h"
#include "api/firecrawl/data_request.h"
#include "crawl/options/options.h"

namespace quarry::api {

// How a page is wanted, beside what a crawl's options say.
struct PageWish {
    std::chrono::milliseconds timeout{300'000};
    std::optional<std::chrono::milliseconds> max_age{}, min_age{};  // of a page that is stored already
    bool store_in_cache = true;
    bool cached_only = false;
    DataWish data{};
};

// The fields of ScrapeOptions: formats, onlyMainContent, includeTags, headers, …
// Formats that ask about the page are refused where nobody asks: pages of a search, and files.
enum class DataFormats : std::uint8_t { refused, taken };
PageWish read_page_wish(Fields& fields, crawl::CrawlOptions& options,
                        DataFormats data = DataFormats::refused);

// Of pages that are named: asked for whatever robots.txt says, and kept apart from those of crawls.
crawl::CrawlOptions options_of_pages(std::string_view kind);

// POST /v2/crawl, /v2/batch/scrape and /v2/scrape. Only if there are no issues can it be started. Of a batch,
// `invalid` gets URLs that are none, if they are to be ignored.
crawl::CrawlOptions read_crawl_request(const boost::json::object& body, std::vector<Issue>& issues);
crawl::CrawlOptions read_batch_request(const boost::json::object& body, std::vector<Issue>& issues,
                                       std::vector<std::string>& invalid);
struct ScrapeRequest {
    crawl::CrawlOptions options{};
    PageWish wish{};
    Formats shown{};  // what is answered with; more may be stored, to be asked about
};
ScrapeRequest read_scrape_request(const boost::json::object& body, std::vector<Issue>& issues);

}  // namespace quarry::api
