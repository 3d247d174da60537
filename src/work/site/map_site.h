// Discover the pages of a site: what `map` does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/fwd.hpp>

#include "base/result.h"
#include "crawl/options/options.h"
#include "work/site/found_pages.h"
#include "work/site/site_files.h"

namespace quarry::work {

using crawl::SitemapUse;

struct MapOptions {
    int depth = 0;  // how many links away from the start pages are read; 0 reads the start page
    std::size_t limit = 5'000;
    std::string search{};  // words: only pages that have one in URL or title, the best first
    Subdomains subdomains = Subdomains::leave_out;
    SitemapUse sitemap = SitemapUse::include;
    bool list_external = false;  // list links to other sites too; they are never followed
    int concurrency = 5;
};

struct SiteMap {
    std::string url{};               // as asked for
    std::vector<FoundPage> links{};  // in order of discovery, or of relevance to a search
    std::size_t internal_count = 0;  // of all pages found, listed or not
    std::size_t external_count = 0;
    int depth_reached = 0;         // of the pages that were read
    std::optional<Error> error{};  // the start page could not be read, and no file lists others
    std::string warning{};         // a sentence when the map is known to be incomplete; else ""

    bool success() const { return !error; }
};

// Obeys robots.txt, nofollow and Crawl-delay. Bounded by the limit, the depth and a cap on what is
// remembered; a stop request ends it early with what was found.
SiteMap map_site(const SiteAccess& access, std::string_view url, const MapOptions& options = {});

// url, success, links ({url, title}), internal_count, external_count, depth_reached, warning, error.
boost::json::object to_json(const SiteMap& map);

}  // namespace quarry::work
