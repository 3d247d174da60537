// What clients of Firecrawl ask for, in its names, as options of a crawl: pages, crawls, batches, and data
// and answers beside the words of a page.
// What they may not ask for (addresses of private networks, another's name) is not read, and names that
// mean nothing here are ignored.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/fwd.hpp>

#include "api/server/fields.h"
#include "crawl/options/options.h"
#include "model/page_options.h"

namespace quarry::api {

// Data and answers that are wanted of a page, beside its words: the formats json, summary, question and
// highlights, and what /v2/extract is asked for.

inline constexpr std::string_view needs_model_sentence =
    "needs a language model, which this server does not have: set model.url and model.name (or "
    "OPENAI_BASE_URL and "
    "QUARRY_MODEL_NAME)";

// False if the format is none of those above. What is wrong with one is an issue of "formats".
bool read_data_format(Fields& fields, std::string_view name, const boost::json::object& format,
                      DataWish& wish);

// The schema and the prompt that stand in an object: of a request, whose fields are named if they are wrong,
// or of a format, whose fault is that of `format_field`.
void read_schema_and_prompt(Fields& fields, const boost::json::object& object, DataWish& wish,
                            std::string_view format_field = "");

// What clients of Firecrawl ask for, in its names, as options of a crawl. What they may not ask for
// (addresses of private networks, another's name) is not read, and names that mean nothing here are ignored.

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
