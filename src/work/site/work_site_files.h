// Reads the files in which a site lists its pages: sitemaps, indexes of them, feeds, llms.txt.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "url/url.h"
#include "work/site/found_pages.h"
#include "work/site/site_files.h"
#include "work/site/site_robots.h"

namespace quarry::work {

// Bounded in files and levels, so a sitemap that includes itself, or ever new ones, ends. Files that are
// missing or broken are passed over: a site need not have any. Used by one thread at a time.
class SiteFiles {
public:
    SiteFiles(SiteAccess access, SiteRobots& robots, FoundPages& found)
        : access_(std::move(access)), robots_(robots), found_(found) {}

    // What robots.txt names, /sitemap.xml, and /llms.txt.
    void read_listings(const url::Url& home, int concurrency);
    // Feeds, or other files of the same kinds, named by a page.
    void read(const std::vector<std::string>& files, int concurrency);

private:
    void add_new(const std::string& file, std::vector<url::Url>& level);

    SiteAccess access_;
    SiteRobots& robots_;
    FoundPages& found_;
    std::unordered_set<std::string> known_files_;
};

}  // namespace quarry::work
