#include "work/jobs/crawl_jobs.h"

#include <algorithm>

#include <boost/json.hpp>

#include "crawl/url_identity.h"
#include "url/page_address.h"
#include "url/url.h"
#include "work/jobs/read_sitemap.h"
#include "work/jobs/settle_crawl.h"
#include "work/jobs/webhook_job.h"

namespace quarry::work {

namespace {

namespace json = boost::json;

// Room for URLs that fail or lead elsewhere, and for what a site links to beyond the limit; what is found
// after that would hardly ever be reached.
constexpr std::int64_t urls_per_page = 10;
constexpr std::int64_t urls_at_least = 1'000;

// URLs as people type them become what is fetched. Credentials in them stay with the crawl's options, for
// CrawlContext; what is kept of its pages has none.
Result<crawl::CrawlOptions> with_whole_urls(crawl::CrawlOptions options) {
    for (std::string& url : options.urls) url = TRY(url::parse_page_address(url)).href();
    TRY(crawl::check(options));
    return options;
}

// What two crawls of a site have in common: where they begin. A page that is fetched again stays with the
// site it was found on.
std::string site_of(const crawl::CrawlOptions& options) {
    if (options.kind == "rescrape") return {};
    std::vector<std::string> urls;
    for (const std::string& url : options.urls) urls.push_back(url::without_secrets(url));
    std::ranges::sort(urls);
    std::string site;
    for (const std::string& url : urls) site += (site.empty() ? "" : " ") + url;
    return site;
}

// Pages that the site has no more are looked for when all of it was seen.
std::vector<NewJob> closing_jobs(const crawl::CrawlOptions& options) {
    if (options.list_only_seeds) return {};
    return {{.kind = std::string(settle_crawl_kind), .owner = options.owner}};
}

// A page to compare with later stays. What was asked for by its name is a page of a cache.
PageKeeping page_keeping_of(const crawl::CrawlOptions& options) {
    if (!options.keeping || options.track_changes) return PageKeeping::for_good;
    return options.kind == "crawl" ? PageKeeping::with_group : PageKeeping::cached;
}

NewGroup to_group(const crawl::CrawlOptions& options) {
    return {.kind = options.kind,
            .name = url::without_secrets(options.urls.front()),
            .options = json::serialize(to_json(options)),
            .collection = options.collection,
            .owner = options.owner,
            .priority = options.priority,
            .company = crawl::company_of(options),
            .page_limit = options.limit,
            .url_limit = std::max(options.limit * urls_per_page,
                                  static_cast<std::int64_t>(options.urls.size()) + urls_at_least),
            .index_pages = options.embed,
            .zero_retention = options.zero_retention,
            .keeping = options.zero_retention ? std::nullopt : options.keeping,
            .page_keeping = page_keeping_of(options),
            .request_id = options.request.request_id,
            .site = site_of(options),
            .request_key = options.request_key,
            .closing_jobs = closing_jobs(options),
            .notice = group_webhook(options)};
}

// One for each site that the start pages are on.
std::vector<NewJob> sitemap_jobs(const crawl::CrawlOptions& options) {
    std::vector<NewJob> jobs;
    if (options.sitemap == crawl::SitemapUse::skip || options.list_only_seeds) return jobs;
    std::vector<std::string> origins;
    for (const std::string& text : options.urls) {
        const auto url = url::Url::parse(text);
        if (!url || std::ranges::find(origins, url->origin()) != origins.end()) continue;
        origins.push_back(url->origin());
        NewJob job = first_sitemaps_job(url->without_credentials());
        job.owner = options.owner;
        jobs.push_back(std::move(job));
    }
    return jobs;
}

}  // namespace

std::vector<FoundUrl> start_urls(const crawl::CrawlOptions& options) {
    std::vector<FoundUrl> seeds;
    // Then the sitemaps alone say which pages there are.
    if (options.sitemap == crawl::SitemapUse::only) return seeds;
    const auto rules = crawl::identity_rules(options);
    for (const std::string& text : options.urls) {
        const auto url = url::Url::parse(text);
        if (!url) continue;
        seeds.push_back({.url = crawl::kept_url(*url),
                         .key = crawl::url_key(*url, rules),
                         .host = crawl::host_key(*url),
                         .source = UrlSource::seed});
    }
    return seeds;
}

Result<GroupId> start_crawl(store::Store& store, const crawl::CrawlOptions& options) {
    const crawl::CrawlOptions whole = TRY(with_whole_urls(options));
    return store.add_group(to_group(whole), sitemap_jobs(whole), start_urls(whole));
}

Result<store::Schedule> crawl_schedule(const std::string& name, const std::string& cron,
                                       const crawl::CrawlOptions& options) {
    const crawl::CrawlOptions whole = TRY(with_whole_urls(options));
    return store::Schedule{.name = name,
                           .cron = cron,
                           .job = {.kind = std::string(begin_crawl_kind), .owner = options.owner},
                           .group = to_group(whole)};
}

Result<store::Outcome> begin_crawl(const store::JobLease& job, const JobTools& tools) {
    if (!job.group) return fail(ErrorCode::invalid_argument, "there is no crawl to begin");
    const Group crawl = TRY(tools.reader.group(*job.group));
    const crawl::CrawlOptions options = TRY(crawl::options_of(crawl));
    store::Outcome outcome{
        .end = store::Completed{}, .found = start_urls(options), .jobs = sitemap_jobs(options)};
    for (NewJob& added : outcome.jobs) added.group = job.group;
    return outcome;
}

}  // namespace quarry::work
