#include "work/site/work_site_files.h"

#include "crawl/sitemap.h"
#include "url/canonical.h"
#include "work/in_order.h"

namespace quarry::work {

namespace {

constexpr std::size_t max_files = 1'000;
constexpr int max_levels = 5;

crawl::Sitemap fetch_listing(const SiteAccess& access, const url::Url& file) {
    net::HttpLimits limits = access.limits;
    limits.body_bytes = crawl::max_sitemap_bytes;
    limits.when_too_large = net::WhenTooLarge::truncate;
    const auto page = access.get(file, limits);
    if (!page) return {};
    // Relative locations are relative to where the file really is.
    const url::Url base = url::Url::parse(page->final_url).value_or(file);
    if (file.path().ends_with("/llms.txt")) {
        // A site that answers everything with its start page does not list its pages there.
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
