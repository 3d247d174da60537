// How one site is asked, and the files it publishes for crawlers: robots.txt of each origin, sitemaps and
// indexes of them, feeds, llms.txt.
// SiteAccess says who asks, by which rules, and until when. Files that are missing or broken are passed
// over.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "crawl/robots.h"
#include "fetch/fetcher.h"
#include "fetch/redirect.h"
#include "model/collection.h"
#include "model/page.h"
#include "net/address_policy.h"
#include "url/url.h"
#include "work/site/found_pages.h"

namespace quarry::work {

// How one site is asked: who asks, by which rules, and until when.

// A value; copies share the fetcher, which must outlive them. Safe to use from many threads at once.
struct SiteAccess {
    fetch::Fetcher& fetcher;
    net::AddressPolicy policy{};
    std::vector<Header> headers{};
    std::string agent = "quarry";  // whom robots.txt is asked about
    net::HttpLimits limits{};      // of files that are no pages, which have bounds of their own on size
    std::stop_token stop{};

    // Credentials by origin, and whose request this is. Nothing: there are none.
    std::shared_ptr<const fetch::Credentials> credentials{};
    std::string owner{local_owner};

    // The origin that `headers` are meant for. They may hold credentials, and a site can name files anywhere:
    // other origins get only those that say nothing about who asks. Empty means that everybody gets them.
    std::string headers_origin{};

    fetch::FetchRequest request(const url::Url& url,
                                std::optional<net::HttpLimits> special_limits = {}) const;

    // Waits for the page. An answer of status 400 and above is an error here, worded "HTTP 404 Not Found".
    Result<Page> get(const url::Url& url, std::optional<net::HttpLimits> special_limits = {}) const;
};

// robots.txt of each origin of a site, fetched when it is first needed.

// Used by one thread at a time.
class SiteRobots {
public:
    explicit SiteRobots(SiteAccess access) : access_(std::move(access)) {}

    // The rules of the URL's origin. Waits for the network the first time.
    const crawl::Robots& of(const url::Url& url) { return answer(url).robots; }

    // Fails with `refused` and the rule that forbids it, or with the reason why the rules could not be had.
    Result<void> check(const url::Url& url);

private:
    struct Answer {
        crawl::Robots robots;
        std::optional<Error> error{};  // nothing answered
    };

    const Answer& answer(const url::Url& url);

    SiteAccess access_;
    std::map<std::string, Answer> by_origin_;
};

// Reads the files in which a site lists its pages: sitemaps, indexes of them, feeds, llms.txt.

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
