#include "work/site/map_site.h"

#include <chrono>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "base/threads.h"
#include "extract/extract.h"
#include "net/http_message.h"
#include "url/percent.h"
#include "url/url.h"
#include "work/in_order.h"
#include "work/site/site_files.h"

namespace quarry::work {

namespace {

// What one page says about others.
struct PageLinks {
    std::optional<Error> error{};
    std::string url{};  // after redirects
    Document document{};
};

PageLinks read_links(const SiteAccess& access, const url::Url& url) {
    PageLinks result{.url = url.href()};
    const auto page = access.get(url);
    if (!page) {
        result.error = page.error();
        return result;
    }
    result.url = page->final_url;
    const extract::ExtractOptions links_only{.formats = {.markdown = false, .links = true}};
    if (auto document = extract::extract(*page, links_only)) {
        result.document = *std::move(document);
    } else {
        result.error = document.error();
    }
    return result;
}

// Files that hold no links: not worth a request. What the server says of them is not known before asking.
bool looks_like_a_page(const url::Url& url) {
    static constexpr std::string_view others[] = {
        ".png",  ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".ico",  ".bmp",  ".tif",  ".tiff",
        ".avif", ".css", ".js",   ".mjs", ".json", ".xml", ".zip",  ".gz",   ".tgz",  ".bz2",
        ".xz",   ".7z",  ".rar",  ".tar", ".exe",  ".dmg", ".msi",  ".deb",  ".rpm",  ".apk",
        ".iso",  ".mp3", ".mp4",  ".wav", ".ogg",  ".avi", ".mov",  ".mkv",  ".webm", ".flv",
        ".pdf",  ".doc", ".docx", ".xls", ".xlsx", ".ppt", ".pptx", ".epub", ".woff", ".woff2",
        ".ttf",  ".otf", ".eot",  ".bin", ".whl",  ".jar", ".csv",  ".rss",  ".atom"};
    const std::string_view path = url.path();
    for (const std::string_view ending : others) {
        if (path.ends_with(ending)) return false;
    }
    return true;
}

// A search picks from more than it may list, a map without one stops when it has enough.
std::size_t capacity(const MapOptions& options) {
    constexpr std::size_t most_remembered = 200'000;
    const bool picks_later = !options.search.empty() || !options.list_external;
    return std::min(picks_later ? std::max<std::size_t>(options.limit * 4, 20'000) : options.limit,
                    most_remembered);
}

SiteAccess access_to(const url::Url& start, SiteAccess access) {
    // As markdown a page would come without its navigation, which is what a map is after.
    access.headers.push_back({"Accept", "text/html, application/xhtml+xml;q=0.9, */*;q=0.1"});
    access.headers_origin = start.origin();
    // The pages that are found have URLs without credentials, but may need them as the first one does.
    if (!start.username().empty() && header_value(access.headers, "authorization").empty()) {
        access.headers.push_back(
            {"Authorization", net::basic_authorization(url::percent_decoded(start.username()),
                                                       url::percent_decoded(start.password()))});
    }
    return access;
}

class SiteMapper {
public:
    SiteMapper(const SiteAccess& access, const url::Url& start, const MapOptions& options)
        : access_(access_to(start, access)),
          options_(options),
          start_(start),
          robots_(access_),
          scope_(start, options.subdomains),
          found_(scope_, capacity(options)),
          files_(access_, robots_, found_) {}

    SiteMap run() {
        if (options_.sitemap != SitemapUse::only) read_start_page();
        if (options_.sitemap != SitemapUse::skip) read_files();
        if (options_.sitemap != SitemapUse::only) follow_links();
        finish();
        return std::move(map_);
    }

private:
    void read_start_page() {
        if (auto allowed = robots_.check(start_); !allowed) {
            map_.error = std::move(allowed).error();
            return;
        }
        PageLinks page = read_links(access_, start_);
        if (page.error) {
            map_.error = std::move(page.error);
            return;
        }
        settle_home(page.url);
        found_.add(home_.value_or(start_), page.document.metadata.title);
        take_links(page);
        for (const Link& feed : page.document.feeds) feeds_.push_back(feed.url);
    }

    // Where the start page redirects to is the site that was meant.
    void settle_home(const std::string& final_url) {
        const auto url = url::Url::parse(final_url);
        if (!url || scope_.contains(*url)) return;
        home_ = *url;
        scope_ = SiteScope(*url, options_.subdomains);
        found_ = FoundPages(scope_, capacity(options_));
    }

    void read_files() {
        const url::Url& home = home_ ? *home_ : start_;
        files_.read_listings(home, options_.concurrency);
        if (!found_.is_full()) files_.read(feeds_, options_.concurrency);
        if (map_.error && found_.pages().empty()) return;
        if (options_.sitemap == SitemapUse::only && found_.pages().empty()) {
            map_.warning = "the site has no sitemap, feed or llms.txt that could be read";
        }
    }

    void follow_links() {
        for (int depth = 1; depth <= options_.depth && !frontier_.empty() && !found_.is_full(); ++depth) {
            const std::vector<url::Url> level = allowed_pages(std::exchange(frontier_, {}));
            if (level.empty() || access_.stop.stop_requested()) break;
            map_.depth_reached = depth;
            read_level(level);
        }
        if (access_.stop.stop_requested()) map_.warning = "stopped early: the map is incomplete";
    }

    std::vector<url::Url> allowed_pages(std::vector<url::Url> level) {
        std::erase_if(level, [&](const url::Url& url) { return !robots_.check(url).has_value(); });
        return level;
    }

    void read_level(const std::vector<url::Url>& level) {
        const auto delay = robots_.of(level.front()).crawl_delay(access_.agent);
        const int concurrency = delay ? 1 : options_.concurrency;
        run_in_order(
            level.size(), concurrency,
            [&](std::size_t index) {
                if (delay) pause_for(*delay, access_.stop);
                return read_links(access_, level[index]);
            },
            [&](const PageLinks& page) {
                take_page(page);
                return !found_.is_full();
            },
            access_.stop);
    }

    void take_page(const PageLinks& page) {
        const auto url = url::Url::parse(page.url);
        if (page.error || !url || !scope_.contains(*url)) return;
        found_.add(*url, page.document.metadata.title);
        take_links(page);
    }

    void take_links(const PageLinks& page) {
        const bool may_follow = !page.document.metadata.robots.nofollow;
        for (const std::vector<Link>* links : {&page.document.links, &page.document.frames}) {
            for (const Link& link : *links) {
                const auto url = url::Url::parse(link.url);
                if (!url) continue;
                const bool is_new_page = found_.add(*url, link.text);
                if (is_new_page && may_follow && !link.nofollow && looks_like_a_page(*url))
                    frontier_.push_back(*url);
            }
        }
    }

    void finish() {
        // What the files list is a map all the same.
        if (map_.error && !found_.pages().empty()) {
            map_.warning = fmt::format(
                "the start page could not be read, so these are the URLs of its site's "
                "sitemaps and feeds: {}",
                map_.error->message);
            map_.error.reset();
        }
        for (const FoundPage& page : found_.pages())
            ++(page.is_internal ? map_.internal_count : map_.external_count);
        std::vector<FoundPage> listed = matching_pages(found_.pages(), options_.search);
        if (!options_.list_external)
            std::erase_if(listed, [](const FoundPage& page) { return !page.is_internal; });
        if (listed.size() > options_.limit) listed.resize(options_.limit);
        map_.links = std::move(listed);
    }

    SiteAccess access_;
    const MapOptions& options_;
    url::Url start_;
    std::optional<url::Url> home_;
    SiteRobots robots_;
    SiteScope scope_;
    FoundPages found_;
    SiteFiles files_;
    std::vector<url::Url> frontier_;
    std::vector<std::string> feeds_;
    SiteMap map_;
};

}  // namespace

SiteMap map_site(const SiteAccess& access, std::string_view url, const MapOptions& options) {
    auto start = url::parse_page_address(url);
    SiteMap map;
    if (start) {
        map = SiteMapper(access, *start, options).run();
    } else {
        map.error = std::move(start).error();
    }
    map.url = url::without_secrets(url);
    return map;
}

boost::json::object to_json(const SiteMap& map) {
    boost::json::array links;
    for (const FoundPage& page : map.links) {
        boost::json::object link{{"url", page.url}};
        if (!page.title.empty()) link["title"] = page.title;
        links.push_back(std::move(link));
    }
    boost::json::object object{{"url", map.url}, {"success", map.success()}};
    object["links"] = std::move(links);
    object["internal_count"] = map.internal_count;
    object["external_count"] = map.external_count;
    object["depth_reached"] = map.depth_reached;
    if (!map.warning.empty()) object["warning"] = map.warning;
    object["error"] = map.error ? boost::json::value(map.error->message) : boost::json::value(nullptr);
    return object;
}

}  // namespace quarry::work
