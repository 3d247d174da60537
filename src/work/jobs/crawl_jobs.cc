#include "work/jobs/crawl_jobs.h"

#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "crawl/options/options.h"
#include "crawl/robots.h"
#include "crawl/sitemap.h"
#include "crawl/url_identity.h"
#include "fetch/http_time.h"
#include "net/http_message.h"
#include "url/url.h"
#include "work/crawl_context.h"
#include "work/jobs/webhooks.h"
#include "work/retry.h"

namespace quarry::work {

namespace json = boost::json;

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
            .concurrency = crawl::concurrency_of(options),
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

Result<void> add_urls(store::Store& store, GroupId batch, const std::vector<std::string>& urls) {
    json::array list;
    for (const std::string& text : urls) {
        const auto url = url::Url::parse(text);
        if (url && !(url->username().empty() && url->password().empty()))
            return fail(
                ErrorCode::invalid_argument,
                fmt::format("{} was given with a user name: a batch takes them with its first pages only, "
                            "or as an Authorization header",
                            url->without_credentials()));
        list.emplace_back(text);
    }
    std::vector<NewJob> jobs{{.kind = std::string(admit_urls_kind),
                              .payload = json::serialize(list),
                              .priority = priority_high,
                              .group = batch}};
    TRY(store.add(std::move(jobs)));
    return {};
}

Result<store::Outcome> admit_urls(const store::JobLease& job, const JobTools& tools) {
    if (!job.group) return fail(ErrorCode::invalid_argument, "there is no batch to add to");
    const Group batch = TRY(tools.reader.group(*job.group));
    crawl::CrawlOptions options = TRY(crawl::options_of(batch));
    json::error_code error;
    const json::value list = json::parse(job.payload, error);
    if (error || !list.is_array()) return fail(ErrorCode::corrupt, "the list of pages is damaged");
    options.urls.clear();
    for (const json::value& url : list.get_array())
        if (url.is_string()) options.urls.emplace_back(url.get_string());
    return store::Outcome{.end = store::Completed{}, .found = start_urls(options)};
}

namespace {

// A crawl that stopped at a limit has not seen the whole site, and one that could not read pages may have
// missed those that only they link to.
bool saw_the_whole_site(const Group& crawl, const crawl::CrawlOptions& options) {
    const GroupCounters& counters = crawl.counters;
    const bool met_no_limit = counters.completed < crawl.page_limit && counters.not_admitted == 0;
    return met_no_limit && counters.queued == 0 && counters.completed > 0 &&
           counters.failed == counters.gone && !options.max_depth && !options.list_only_seeds;
}

}  // namespace

Result<store::Outcome> settle_crawl(const store::JobLease& job, const JobTools& tools) {
    store::Outcome outcome{.end = store::Completed{}};
    if (!job.group) return outcome;
    const Group crawl = TRY(tools.reader.group(*job.group));
    const crawl::CrawlOptions options = TRY(crawl::options_of(crawl));
    if (options.prune && crawl.counters.completed > 0) {
        outcome.settle = store::SettlePages{.after_misses = 1};
    } else if (saw_the_whole_site(crawl, options)) {
        outcome.settle = store::SettlePages{};
    }
    return outcome;
}

}  // namespace quarry::work
