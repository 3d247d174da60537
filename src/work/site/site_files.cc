#include "work/site/site_files.h"

#include <fmt/format.h>

#include "crawl/sitemap.h"
#include "fetch/redirect.h"
#include "net/http_message.h"
#include "url/canonical.h"
#include "work/in_order.h"

namespace quarry::work {

fetch::FetchRequest SiteAccess::request(const url::Url& url,
                                        std::optional<net::HttpLimits> special_limits) const {
    fetch::FetchRequest request{.url = url,
                                .owner = owner,
                                .headers = headers,
                                .policy = policy,
                                .limits = special_limits,
                                .stop = stop};
    const bool is_elsewhere = !headers_origin.empty() && url.origin() != headers_origin;
    if (is_elsewhere) request.headers = fetch::headers_without_secrets(request.headers);
    if (credentials) credentials->add_to(request.headers, url, owner);
    return request;
}

Result<Page> SiteAccess::get(const url::Url& url, std::optional<net::HttpLimits> special_limits) const {
    Page page = TRY(fetcher.fetch(request(url, special_limits)));
    if (page.status >= 400) {
        return fail(net::http_error_code(page.status),
                    fmt::format("cannot fetch {}: {}", url.without_credentials(),
                                net::http_status_line(page.status)));
    }
    return page;
}

namespace {

// If a server sends 100 MB of rules, they are read as far as other crawlers read them.
net::HttpLimits robots_limits(net::HttpLimits limits) {
    limits.body_bytes = crawl::max_robots_bytes;
    limits.when_too_large = net::WhenTooLarge::truncate;
    return limits;
}

}  // namespace

Result<void> SiteRobots::check(const url::Url& url) {
    const Answer& known = answer(url);
    if (known.error) return std::unexpected(*known.error);
    const crawl::Verdict verdict = known.robots.check(access_.agent, url);
    if (verdict.allowed) return {};
    return fail(ErrorCode::refused,
                fmt::format("robots.txt forbids {}: {}", url.without_credentials(), verdict.rule));
}

const SiteRobots::Answer& SiteRobots::answer(const url::Url& url) {
    const std::string origin = url.origin();
    if (const auto known = by_origin_.find(origin); known != by_origin_.end()) return known->second;
    const auto address = url::Url::parse("/robots.txt", &url);
    // Every status decides which rules apply, so none is turned into an error here.
    auto page = access_.fetcher.fetch(access_.request(address.value_or(url), robots_limits(access_.limits)));
    Answer found = page ? Answer{crawl::Robots::from_response(page->status, page->body)}
                        : Answer{crawl::Robots::from_response(0, {}), std::move(page).error()};
    return by_origin_.emplace(origin, std::move(found)).first->second;
}

namespace {

constexpr std::size_t max_files = 1'000;
constexpr int max_levels = 5;

crawl::Sitemap fetch_listing(const SiteAccess& access, const url::Url& file) {
    net::HttpLimits limits = access.limits;
    limits.body_bytes = crawl::max_sitemap_bytes;
    limits.when_too_large = net::WhenTooLarge::truncate;
    const auto page = access.get(file, limits);
    if (!page) return {};
    // Relative locations are relative to the file's final URL.
    const url::Url base = url::Url::parse(page->final_url).value_or(file);
    if (file.path().ends_with("/llms.txt")) {
        // Some sites answer every request with their start page. That page is not a list of pages.
        const bool is_page = page->content_type.find("html") != std::string::npos;
        return is_page ? crawl::Sitemap{} : crawl::parse_llms_txt(page->body, base);
    }
    return crawl::parse_sitemap(page->body, base).value_or(crawl::Sitemap{});
}

}  // namespace

void SiteFiles::read_listings(const url::Url& home, int concurrency) {
    std::vector<std::string> files = robots_.of(home).sitemaps();
    for (const std::string_view guess : {"/sitemap.xml", "/llms.txt"}) {
        const auto file = url::Url::parse(guess, &home);
        if (file && robots_.check(*file)) files.push_back(file->href());
    }
    read(files, concurrency);
}

void SiteFiles::read(const std::vector<std::string>& files, int concurrency) {
    std::vector<url::Url> level;
    for (const std::string& file : files) add_new(file, level);
    for (int depth = 0; depth < max_levels && !level.empty() && !found_.is_full(); ++depth) {
        std::vector<url::Url> next;
        run_in_order(
            level.size(), concurrency,
            [&](std::size_t index) { return fetch_listing(access_, level[index]); },
            [&](const crawl::Sitemap& listing) {
                for (const crawl::SitemapEntry& entry : listing.entries) {
                    if (const auto url = url::Url::parse(entry.loc)) found_.add(*url, entry.title);
                }
                for (const std::string& child : listing.children) add_new(child, next);
                return !found_.is_full();
            },
            access_.stop);
        level = std::move(next);
    }
}

void SiteFiles::add_new(const std::string& file, std::vector<url::Url>& level) {
    const auto url = url::Url::parse(file);
    if (!url || !url->is_http() || known_files_.size() >= max_files) return;
    if (known_files_.insert(url::canonical(*url)).second) level.push_back(*url);
}

}  // namespace quarry::work
