// Everything a crawl was asked for. It is kept in the crawl's row as JSON, so that a crawl that waits, is
// resumed or is taken over by another process runs exactly as it was meant to.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>

#include "base/result.h"
#include "crawl/options/request_context.h"
#include "crawl/options/webhook.h"
#include "model/group.h"
#include "model/page.h"
#include "model/page_options.h"

namespace quarry::crawl {

enum class SitemapUse : std::uint8_t {
    include,  // the files in which the site lists its pages, and the links of its pages
    skip,     // the links only
    only,     // the files only
};

struct CrawlOptions {
    std::string kind = "crawl";  // or "batch_scrape", "scrape", "rescrape": the pages it names and no others
    std::vector<std::string> urls{};  // where it begins

    // Which URLs belong to it.
    std::optional<int> max_depth{};            // links away from the start; nothing: any number
    std::int64_t limit = 10'000;               // pages
    std::vector<std::string> include_paths{};  // regular expressions (RE2); if any, one must match
    std::vector<std::string> exclude_paths{};  // none may match
    bool regex_on_full_url = false;            // they look at the whole URL instead of the path
    bool entire_domain = false;                // not only what lies under the start's path
    bool subdomains = false;
    bool external = false;  // follow links to other sites
    SitemapUse sitemap = SitemapUse::include;
    bool ignore_query_parameters = false;  // URLs that differ only in the query are one
    bool deduplicate_similar_urls = true;  // www., http/https, index.html, trailing slash are one
    bool list_only_seeds = false;          // fetch the seeds and nothing else: a batch

    // How it behaves towards servers.
    std::chrono::milliseconds delay{0};
    std::optional<int> max_concurrency{};  // pages at once; with no delay it also raises a host's share
    bool ignore_robots = false;
    std::string robots_agent = "quarry";
    std::vector<Header> headers{};
    std::vector<std::string> allow_networks{};  // beyond the public ones: "10.0.0.0/8"
    bool allow_private = false;                 // asked for on the local command line

    // How pages are read in a browser.
    Rendering render = Rendering::never;
    std::chrono::milliseconds wait_for{0};  // once the page is there
    bool mobile = false;
    bool block_ads = true;
    std::vector<Action> actions{};         // done to it before it is read
    std::optional<PictureWish> picture{};  // kept beside its words

    // What is kept of a page.
    Formats formats{};
    bool full_page = false;
    bool keep_errors = false;  // what a server says with a status of 400 and above is a page like any other
    std::vector<std::string> include_tags{}, exclude_tags{};
    std::vector<AttributeWish> attributes{};
    boost::json::object location{};  // where its client wants it to be read from: only recorded
    DataWish data{};                 // asked about each page, and kept with it
    bool track_changes = false;      // say what has changed since the page was stored last
    bool show_changes = false;       // and show it line by line
    std::string change_tag{};        // pages with another tag have another past

    // What happens around it.
    std::string collection = "default";
    std::string owner = "local";
    std::string request_key{};  // its client's name for it, which no two of an owner have
    int priority = 2;
    bool exclusive = false;  // runs alone; waits its turn
    bool embed = true;
    bool go_on = false;   // although most pages fail
    bool prune = false;   // remove pages this crawl did not meet, at once
    bool refresh = true;  // ask servers whether pages known already have changed
    bool zero_retention = false;
    std::optional<Keeping> keeping{};  // how long it is kept when it is over; nothing: as the settings say
    std::optional<Webhook> webhook{};  // whom to tell of it
    RequestContext request{};          // where it was asked for
    boost::json::object about{};       // why it was begun, in its client's words: kept and given back
};

// How many others of its owner may run beside it. A single page is apart.
Concurrency concurrency_of(const CrawlOptions& options);

boost::json::object to_json(const CrawlOptions& options);

// The way back, also for what people and clients write: unknown names are refused with a suggestion, values
// of the wrong kind in a sentence that names them.
Result<CrawlOptions> parse_crawl_options(const boost::json::value& json);

// Those that a crawl was begun with.
Result<CrawlOptions> options_of(const Group& group);

// What cannot work, in a sentence: no URL, one that is not http(s), an expression that does not parse, a
// negative limit.
Result<void> check(const CrawlOptions& options);
// `invalid_argument` for a name that no collection can have.
Result<void> check_collection(const std::string& name);

}  // namespace quarry::crawl
