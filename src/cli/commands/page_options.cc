#include "cli/commands/page_options.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include "base/units.h"
#include "cli/commands/url_list.h"
#include "crawl/options/browsing_json.h"
#include "html/selector/html_selector.h"
#include "model/job.h"
#include "url/page_address.h"

namespace quarry::cli {
namespace {

void add_scope_flags(CommandBuilder& builder, Parser& parser, CrawlFlags& flags) {
    builder.setting(parser, {"--limit", "crawl.limit", "Most pages (10000)"});
    parser.add_option("-d,--depth", flags.depth, "Most links away from the start; 0 follows none (no limit)")
        .between(0, 1'000'000);
    // One value per flag, or "--include '^/a' https://…" would swallow the URL.
    parser.add_option("--include", flags.include, "Only paths that match this expression; may be repeated");
    parser.add_option("--exclude", flags.exclude, "No paths that match this expression; may be repeated");
    parser.add_flag("--regex-on-full-url", flags.regex_on_full_url, "These look at the whole URL");
    parser.add_flag("--entire-domain", flags.entire_domain, "Not only what lies under the start's path");
    parser.add_flag("--subdomains", flags.subdomains, "Subdomains too");
    parser.add_flag("--external", flags.external, "Follow links to other sites");
    parser.add_flag("--only-these", flags.only_these, "Fetch the URLs given and follow no links");
    parser.add_option("--sitemap", flags.sitemap, "include, skip or only (include)");
    parser.add_flag("--ignore-query", flags.ignore_query, "URLs that differ only in the query are one page");
    parser.add_flag("--no-deduplicate-similar", flags.no_deduplicate_similar,
                    "www., http, index.html and a trailing slash make another page");
}

void add_manner_flags(CommandBuilder& builder, Parser& parser, CrawlFlags& flags) {
    parser
        .add_option("--max-concurrency", flags.max_concurrency,
                    "Pages at once; with no delay also from one host (8 from a host)")
        .between(1, 10'000);
    builder.setting(parser,
                    {"--delay", "crawl.delay", "Wait between two pages of a host, for instance 500ms"});
    parser.add_flag("--ignore-robots", flags.ignore_robots, "Do not obey robots.txt, noindex and nofollow");
    builder.setting(parser,
                    {"--agent", "robots.agent", "The name that robots.txt rules are matched against"});
    add_header_options(parser, flags.headers);
    builder.setting(parser, {"--basic-auth-file", "fetch.basic_auth_file", "File that holds USER:PASSWORD"});
    builder.setting(parser, {"--bearer-file", "fetch.bearer_token_file", "File that holds a bearer token"});
    builder.setting(
        parser, {"--allow-network", "fetch.allowed_networks", "Networks to allow, for instance 10.1.0.0/16"});
    builder.setting_switch(parser, {"--allow-private", "fetch.allow_private",
                                    "Allow private, loopback and link-local addresses (localhost)"});
}

void add_content_flags(CommandBuilder& builder, Parser& parser, CrawlFlags& flags) {
    parser.add_option("--formats,--format", flags.formats,
                      "What to keep: markdown,html,rawHtml,links,images,text,metadata,branding (markdown)");
    parser.add_flag("--full-page", flags.full_page, "Keep navigation, banners and footers");
    parser.add_option("--include-tags", flags.include_tags, "CSS selectors: keep only what is inside them");
    parser.add_option("--exclude-tags", flags.exclude_tags, "CSS selectors: leave out what is inside them");
    builder.setting(parser,
                    {"--render", "browser.render",
                     "Read pages in a browser: auto (those that are empty without), always or never (auto)"});
    parser.add_option("--wait-for", flags.wait_for, "In the browser, wait this long, for instance 2s");
    parser.add_flag("--mobile", flags.mobile, "In the browser, be a phone");
    parser.add_option("--collection", flags.collection, "Which set of pages it belongs to (default)");
    parser.add_flag("--no-embed", flags.no_embed, "Keep the pages, but out of the search index");
    parser.add_flag("--no-refresh", flags.no_refresh, "Fetch everything again, also what has not changed");
    parser.add_flag("--prune", flags.prune, "Remove stored pages of the site that this crawl does not meet");
    parser.add_flag("--zero-retention", flags.zero_retention, "Keep nothing once it was delivered");
}

Result<crawl::SitemapUse> parse_sitemap_use(const std::string& word) {
    if (word == "include") return crawl::SitemapUse::include;
    if (word == "skip") return crawl::SitemapUse::skip;
    if (word == "only") return crawl::SitemapUse::only;
    return fail(ErrorCode::invalid_argument,
                fmt::format("--sitemap is include, skip or only, not \"{}\"", word));
}

Result<crawl::Webhook> parse_webhook(const std::string& text) {
    if (!text.starts_with('{')) return crawl::parse_webhook(boost::json::value(text));
    boost::system::error_code error;
    const boost::json::value value = boost::json::parse(text, error);
    if (error) return fail(ErrorCode::invalid_argument, "--webhook is no JSON: " + error.message());
    return crawl::parse_webhook(value);
}

}  // namespace

void add_crawl_flags(CommandBuilder& builder, Parser& parser, CrawlFlags& flags) {
    parser.add_option("url", flags.targets, "Where to start; or the id of a crawl");
    parser.add_option("-f,--file", flags.file,
                      "File with one URL a line (# starts a comment; - is standard input)");
    add_scope_flags(builder, parser, flags);
    add_manner_flags(builder, parser, flags);
    add_content_flags(builder, parser, flags);
    parser.add_option("--priority", flags.priority, "high, normal, low, or a number: the smaller first");
    parser.add_flag("--exclusive", flags.exclusive, "Run alone: wait until no other crawl runs");
    parser.add_option(
        "--webhook", flags.webhook,
        "Tell this URL of every page, the start and the end; or {\"url\", \"headers\", …} as JSON");
    parser.add_flag("--go-on", flags.go_on, "Go on although most pages fail");
}

Result<crawl::CrawlOptions> crawl_options(const Session& session, const CrawlFlags& flags) {
    const app::Settings& settings = session.settings;
    crawl::CrawlOptions options{.urls = TRY(gather_urls(flags.targets, flags.file))};
    for (std::string& url : options.urls) url = TRY(url::parse_page_address(url)).href();
    if (flags.depth >= 0) options.max_depth = flags.depth;
    options.limit = settings.number("crawl.limit");
    options.include_paths = flags.include;
    options.exclude_paths = flags.exclude;
    options.regex_on_full_url = flags.regex_on_full_url;
    options.entire_domain = flags.entire_domain;
    options.subdomains = flags.subdomains;
    options.external = flags.external;
    options.sitemap = TRY(parse_sitemap_use(flags.sitemap));
    options.ignore_query_parameters = flags.ignore_query;
    options.deduplicate_similar_urls = !flags.no_deduplicate_similar;
    options.list_only_seeds = flags.only_these;
    options.delay = settings.duration("crawl.delay");
    if (flags.max_concurrency > 0) options.max_concurrency = flags.max_concurrency;
    options.ignore_robots = flags.ignore_robots;
    options.robots_agent = settings.text("robots.agent");
    // A server elsewhere is not told the secrets of this machine.
    options.headers = settings.text("remote.url").empty()
                          ? TRY(request_headers(flags.headers, settings, options.urls))
                          : TRY(request_headers(flags.headers));
    options.allow_networks = settings.list("fetch.allowed_networks");
    options.allow_private = settings.yes("fetch.allow_private");
    if (!flags.formats.empty()) options.formats = TRY(parse_formats(flags.formats));
    options.full_page = flags.full_page;
    options.include_tags = flags.include_tags;
    options.exclude_tags = flags.exclude_tags;
    options.render = TRY(crawl::parse_rendering(settings.text("browser.render")));
    if (options.formats.branding) options.render = Rendering::always;  // it is seen nowhere else
    if (!flags.wait_for.empty()) options.wait_for = TRY(parse_duration(flags.wait_for));
    options.mobile = flags.mobile;
    options.collection = flags.collection;
    options.priority = TRY(parse_priority(flags.priority));
    options.exclusive = flags.exclusive;
    options.embed = !flags.no_embed;
    options.go_on = flags.go_on;
    options.prune = flags.prune;
    options.refresh = !flags.no_refresh;
    options.zero_retention = flags.zero_retention;
    if (!flags.webhook.empty()) options.webhook = TRY(parse_webhook(flags.webhook));
    for (const auto& list : {flags.include_tags, flags.exclude_tags})
        for (const std::string& selector : list) TRY(html::parse_selectors(selector));
    TRY(crawl::check(options));
    return options;
}

}  // namespace quarry::cli
