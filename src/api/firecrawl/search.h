// What a client searches for.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/fwd.hpp>

#include "api/server/fields.h"
#include "crawl/options/options.h"

namespace quarry::api {

struct SearchWish {
    std::string query{};
    std::string collection = "default";
    std::string language{};
    int limit = 10;
    std::vector<std::string> include_domains{}, exclude_domains{};  // one of them, with their subdomains
    bool wants_web = true;                                          // pages; not only pictures or news
    std::chrono::milliseconds timeout{60'000};
    std::optional<crawl::CrawlOptions> scrape{};  // how the pages found are to be read; nothing: not at all
};

SearchWish read_search_request(const boost::json::object& body, std::vector<Issue>& issues);

// Whether a page of that address may be among the hits.
bool is_wanted(const SearchWish& wish, std::string_view url);

}  // namespace quarry::api
