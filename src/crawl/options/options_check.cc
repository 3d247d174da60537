#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "base/ascii.h"
#include "crawl/options/browsing_json.h"
#include "crawl/options/options.h"
#include "crawl/path_filter.h"
#include "url/page_address.h"
#include "url/url.h"

namespace quarry::crawl {

namespace {

constexpr int most_connections = 10'000;
// More than any web has, and a number to calculate with: a crawl keeps several URLs for each page.
constexpr std::int64_t most_pages = 1'000'000'000'000;
constexpr std::chrono::milliseconds longest_delay = std::chrono::hours(1);

Result<void> check_urls(const CrawlOptions& options) {
    if (options.urls.empty()) return fail(ErrorCode::invalid_argument, "a crawl needs a URL to start from");
    for (const std::string& text : options.urls) {
        const auto url = url::Url::parse(text);
        if (!url)
            return fail(url.error().code, fmt::format("cannot crawl \"{}\": {}", url::without_secrets(text),
                                                      url.error().message));
        if (!url->is_http() || url->host().empty())
            return fail(ErrorCode::invalid_argument,
                        fmt::format("cannot crawl \"{}\": only http and https URLs can be crawled",
                                    url::without_secrets(text)));
    }
    return {};
}

Result<void> check_numbers(const CrawlOptions& options) {
    if (options.limit < 1) return fail(ErrorCode::invalid_argument, "the limit must be at least one page");
    if (options.limit > most_pages)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("the limit must be at most {} pages", most_pages));
    if (options.max_depth && *options.max_depth < 0)
        return fail(ErrorCode::invalid_argument, "the depth must not be negative; 0 fetches only the start");
    if (options.max_concurrency &&
        (*options.max_concurrency < 1 || *options.max_concurrency > most_connections))
        return fail(ErrorCode::invalid_argument,
                    fmt::format("the number of pages at once must be from 1 to {}", most_connections));
    if (options.delay.count() < 0 || options.delay > longest_delay)
        return fail(ErrorCode::invalid_argument, "the delay must be from 0 to 3600 seconds");
    return {};
}

// A line break in a header would let its writer add headers, or a whole request, of his own.
Result<void> check_headers(const CrawlOptions& options) {
    for (const Header& header : options.headers) {
        const bool named = !header.name.empty() && std::ranges::all_of(header.name, is_http_token_character);
        const bool one_line = header.value.find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos;
        if (!named || !one_line)
            return fail(ErrorCode::invalid_argument,
                        fmt::format("\"{}\" is not a header that can be sent", header.name));
    }
    return {};
}

// Options are kept as JSON, which has no place for other bytes, and is not read again where it is nested
// deeper than this.
Result<void> check_text(const CrawlOptions& options) {
    boost::system::error_code error;
    boost::json::parse(boost::json::serialize(to_json(options)), error);
    if (error == boost::json::error::too_deep)
        return fail(ErrorCode::invalid_argument, "the options are nested more than 32 levels deep");
    if (error) return fail(ErrorCode::invalid_argument, "the options contain bytes that are not UTF-8");
    return {};
}

}  // namespace

// As stores have it of pages that are written: names that begin so belong to crawls without retention.
Result<void> check_collection(const std::string& name) {
    if (!name.empty() && !name.starts_with('#')) return {};
    return fail(ErrorCode::invalid_argument, "a collection has a name, which does not begin with #");
}

Result<void> check(const CrawlOptions& options) {
    TRY(check_text(options));
    TRY(check_collection(options.collection));
    TRY(check_urls(options));
    TRY(check_numbers(options));
    TRY(check_headers(options));
    TRY(check_browsing(options));
    if (options.webhook) TRY(check(*options.webhook));
    TRY(PathFilter::create(options.include_paths));
    TRY(PathFilter::create(options.exclude_paths));
    return {};
}

}  // namespace quarry::crawl
