#include "work/jobs/read_sitemap.h"

#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "crawl/robots.h"
#include "crawl/sitemap.h"
#include "crawl/url_identity.h"
#include "fetch/http_time.h"
#include "net/http_status.h"
#include "work/crawl_context.h"
#include "work/retry_delay.h"

namespace quarry::work {

namespace {

namespace json = boost::json;

// An index may name indexes; one that names itself under ever new names comes to an end here.
constexpr int max_levels = 5;
constexpr std::size_t max_children = 1'000;

struct SitemapJob {
    std::string url{};
    int level = 0;  // 0: the site itself, whose files are not known yet
};

NewJob to_job(const SitemapJob& file, std::optional<GroupId> group) {
    NewJob job{.kind = std::string(read_sitemap_kind),
               .payload = json::serialize(json::object{{"url", file.url}, {"level", file.level}}),
               .group = group};
    if (group) job.unique_key = fmt::format("{} {} {}", read_sitemap_kind, number(*group), file.url);
    return job;
}

Result<SitemapJob> parse(const std::string& payload) {
    boost::system::error_code error;
    const json::value value = json::parse(payload, error);
    const json::object* object = value.if_object();
    const json::value* url = object ? object->if_contains("url") : nullptr;
    const json::value* level = object ? object->if_contains("level") : nullptr;
    if (error || !url || !url->is_string() || !level || !level->is_int64()) {
        return fail(ErrorCode::invalid_argument, "the job does not say which sitemap to read");
    }
    return SitemapJob{std::string(url->as_string()), static_cast<int>(level->as_int64())};
}

class SitemapReader {
public:
    SitemapReader(const JobTools& tools, CrawlContext& crawl) : tools_(tools), crawl_(crawl) {}

    Result<Page> get(const url::Url& url, std::size_t limit) const {
        net::HttpLimits limits;
        limits.body_bytes = limit;
        limits.when_too_large = net::WhenTooLarge::truncate;
        return tools_.fetcher.fetch({.url = url,
                                     .owner = crawl_.owner,
                                     .headers = crawl_.headers_for(url),
                                     .policy = crawl_.policy,
                                     .limits = limits,
                                     .retry = fetch::Retry::none,
                                     .stop = tools_.stop});
    }

    // What robots.txt names, and where sitemaps usually are. A robots.txt that cannot be had names none.
    Result<store::Outcome> list_files(const url::Url& site, int attempt) const {
        store::Outcome outcome{.end = store::Completed{}};
        const url::Url robots_address = TRY(url::Url::parse("/robots.txt", &site));
        const auto page = get(robots_address, crawl::max_robots_bytes);
        if (page && page->status == 429) return asked_too_often(robots_address, *page, attempt);
        std::vector<std::string> files;
        if (page && page->status < 300) files = crawl::Robots::parse(page->body).sitemaps();
        if (files.empty()) files.push_back(TRY(url::Url::parse("/sitemap.xml", &site)).href());
        for (const std::string& file : files) add_file(file, site, 1, outcome);
        return outcome;
    }

    Result<store::Outcome> read(const url::Url& address, int level, int attempt) const {
        store::Outcome outcome{.end = store::Completed{}};
        const Page page = TRY(get(address, crawl::max_sitemap_bytes));
        if (page.status >= 500 || page.status == 429) {
            if (page.status == 429) return asked_too_often(address, page, attempt);
            return fail(ErrorCode::unavailable, refusal(address, page));
        }
        // A site need not have one.
        if (page.status >= 300) return outcome;
        const url::Url base = url::Url::parse(page.final_url).value_or(address);
        const auto sitemap = crawl::parse_sitemap(page.body, base);
        if (!sitemap) {
            outcome.end = store::Completed{.result = sitemap.error().message};
            return outcome;
        }
        admit(*sitemap, outcome);
        for (const std::string& child : sitemap->children) {
            if (outcome.jobs.size() == max_children) break;
            add_file(child, base, level + 1, outcome);
        }
        return outcome;
    }

private:
    static std::string refusal(const url::Url& address, const Page& page) {
        return fmt::format("cannot fetch {}: {}", address.without_credentials(),
                           net::http_status_line(page.status));
    }

    store::Outcome asked_too_often(const url::Url& address, const Page& page, int attempt) const {
        const Timestamp now = tools_.store.now();
        Timestamp again = next_attempt(robots_backoff, attempt, now);
        if (const auto wait = fetch::retry_after(page.headers, std::chrono::floor<std::chrono::seconds>(now)))
            again = std::max(again, now + *wait);
        return {.end = store::Retry{refusal(address, page), again}};
    }

    // A file of another site may list pages of this one, but not the other way round: those are not admitted.
    void add_file(const std::string& file, const url::Url& base, int level, store::Outcome& outcome) const {
        const auto url = url::Url::parse(file, &base);
        if (!url || !url->is_http() || level > max_levels) return;
        outcome.jobs.push_back(to_job({crawl::kept_url(*url), level}, crawl_.id));
    }

    void admit(const crawl::Sitemap& sitemap, store::Outcome& outcome) const {
        const auto scope = crawl_.scope();
        const auto rules = crawl::identity_rules(crawl_.options);
        for (const crawl::SitemapEntry& entry : sitemap.entries) {
            const auto url = url::Url::parse(entry.loc);
            if (!url || scope->check(*url, sitemap_depth) != crawl::Belongs::yes) continue;
            outcome.found.push_back({.url = crawl::kept_url(*url),
                                     .key = crawl::url_key(*url, rules),
                                     .host = crawl::host_key(*url),
                                     .depth = sitemap_depth,
                                     .source = UrlSource::sitemap});
        }
    }

    // The site itself names them, as its start page does.
    static constexpr int sitemap_depth = 1;

    const JobTools& tools_;
    CrawlContext& crawl_;
};

}  // namespace

NewJob first_sitemaps_job(const std::string& site) {
    return to_job({site, 0}, std::nullopt);
}

std::vector<FoundUrl> listed_urls(const crawl::Sitemap& sitemap, CrawlContext& crawl) {
    std::vector<FoundUrl> found;
    const auto scope = crawl.scope();
    const auto rules = crawl::identity_rules(crawl.options);
    const auto add = [&](const std::string& text, UrlSource source) {
        const auto url = url::Url::parse(text);
        if (!url || !url->is_http() || !scope->is_at_home(*url)) return;
        const auto belongs = scope->check(*url, 0);
        // The folder that a sitemap lies in says nothing about the pages that it lists.
        if (belongs != crawl::Belongs::yes && belongs != crawl::Belongs::other_path) return;
        found.push_back({.url = crawl::kept_url(*url),
                         .key = crawl::url_key(*url, rules),
                         .host = crawl::host_key(*url),
                         .source = source});
    };
    for (const crawl::SitemapEntry& entry : sitemap.entries) add(entry.loc, UrlSource::sitemap);
    for (const std::string& child : sitemap.children) add(child, UrlSource::seed);
    return found;
}

Result<store::Outcome> read_sitemap(const store::JobLease& job, const JobTools& tools) {
    if (!job.group) return fail(ErrorCode::invalid_argument, "a sitemap is read for a crawl");
    const SitemapJob file = TRY(parse(job.payload));
    const auto crawl = TRY(CrawlContext::load(*job.group, tools.reader, tools.defaults));
    const url::Url address = TRY(url::Url::parse(file.url));
    const SitemapReader reader(tools, *crawl);
    return file.level == 0 ? reader.list_files(address, job.attempt)
                           : reader.read(address, file.level, job.attempt);
}

}  // namespace quarry::work
