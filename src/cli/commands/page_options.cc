#include "cli/commands/page_options.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <sstream>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "app/services/web_access.h"
#include "base/ascii.h"
#include "base/units.h"
#include "cli/output/files.h"
#include "cli/output/terminal.h"
#include "crawl/options/json.h"
#include "html/selector/selector.h"
#include "model/job.h"
#include "model/json/output.h"
#include "model/json/readable.h"
#include "net/http_message.h"
#include "url/url.h"

namespace quarry::cli {

Result<std::vector<std::string>> gather_urls(const std::vector<std::string>& arguments,
                                             const std::string& file) {
    std::vector<std::string> urls = arguments;
    if (!file.empty()) {
        constexpr std::uint64_t longest_list = 1ULL << 28;
        std::istringstream lines(TRY(read_input(file, longest_list)));
        for (std::string line; std::getline(lines, line);) {
            const std::string_view url = trimmed(line);
            if (!url.empty() && !url.starts_with('#')) urls.emplace_back(url);
        }
    }
    if (urls.empty())
        return fail(ErrorCode::invalid_argument, "No URLs provided. Name one, or a file with -f FILE");
    const auto is_url = [](const std::string& text) { return url::parse_page_address(text).has_value(); };
    if (std::ranges::none_of(urls, is_url)) TRY(url::parse_page_address(urls.front()));
    return urls;
}

void add_header_options(Parser& parser, HeaderOptions& options) {
    // One value per flag, or "--header 'A: b' https://…" would swallow the URL.
    parser.add_option("-H,--header", options.headers, "Header to send, for instance 'Accept-Language: de'");
    parser.add_option("--cookie", options.cookies, "Cookie to send, name=value");
}

Result<std::vector<Header>> request_headers(const HeaderOptions& options) {
    std::vector<Header> headers;
    for (const std::string& line : options.headers) {
        const auto colon = line.find(':');
        if (colon == std::string::npos || colon == 0)
            return fail(ErrorCode::invalid_argument,
                        fmt::format("\"{}\" is not a header such as 'Accept-Language: de'", line));
        const auto start = line.find_first_not_of(' ', colon + 1);
        headers.push_back({line.substr(0, colon), start == std::string::npos ? "" : line.substr(start)});
    }
    if (!options.cookies.empty())
        headers.push_back({"Cookie", fmt::format("{}", fmt::join(options.cookies, "; "))});
    TRY(net::check_request_headers(headers));
    return headers;
}

Result<std::vector<Header>> request_headers(const HeaderOptions& options, const app::Settings& settings,
                                            std::span<const std::string> urls) {
    std::vector<Header> headers = TRY(request_headers(options));
    std::string authorization = TRY(app::authorization_of_commands(settings));
    if (authorization.empty() || !header_value(headers, "Authorization").empty()) return headers;
    std::set<std::string> origins;
    for (const std::string& text : urls)
        if (const auto url = url::parse_page_address(text)) origins.insert(url->origin());
    if (origins.size() > 1) {
        say("note: fetch.basic_auth and fetch.bearer_token are for one origin, and these URLs are of "
            "several: they are "
            "not sent. Name each origin in a file of credentials (fetch.credentials, docs/credentials.md)");
        return headers;
    }
    headers.push_back({"Authorization", std::move(authorization)});
    TRY(net::check_request_headers(headers));
    return headers;
}

namespace {

// How many forms were asked for. Metadata comes along with the default and does not count next to another
// one.
int forms_in(const Formats& formats) {
    return formats.markdown + formats.html + formats.raw_html + formats.text + formats.links + formats.images;
}

bool is_single_form(const Formats& formats) {
    return forms_in(formats) == 1 && !formats.branding;
}

boost::json::object as_object(const Document& document, const Formats& formats,
                              const boost::json::object& branding) {
    boost::json::object object = to_json(document, formats);
    if (formats.branding) object["branding"] = branding;
    return object;
}

template <typename Item>
std::string one_url_a_line(const std::vector<Item>& items) {
    std::string lines;
    for (const Item& item : items) lines += item.url + "\n";
    return lines;
}

}  // namespace

void add_document_options(Parser& parser, DocumentOptions& options) {
    parser.add_option("--formats,--format", options.formats,
                      "What to print: markdown,html,rawHtml,links,images,text,metadata (markdown)");
    parser.add_flag("--full-page", options.full_page, "Keep navigation, banners and footers");
    // One value per flag, or "--include-tags main https://…" would swallow the URL.
    parser.add_option("--include-tags", options.include_tags, "CSS selectors: keep only what is inside them");
    parser.add_option("--exclude-tags", options.exclude_tags, "CSS selectors: leave out what is inside them");
    parser.add_flag("--keep-data-images", options.keep_data_images,
                    "Keep images that are embedded as base64");
}

Result<extract::ExtractOptions> extract_options(const DocumentOptions& options) {
    extract::ExtractOptions result{.formats = TRY(parse_formats(options.formats)),
                                   .full_page = options.full_page,
                                   .include_tags = options.include_tags,
                                   .exclude_tags = options.exclude_tags,
                                   .keep_data_images = options.keep_data_images};
    for (const auto& list : {options.include_tags, options.exclude_tags})
        for (const std::string& selector : list) TRY(html::parse_selectors(selector));
    return result;
}

std::string plain_output(const Document& document, const Formats& formats,
                         const boost::json::object& branding) {
    const bool is_branding_alone = formats.branding && forms_in(formats) == 0 && !formats.metadata;
    if (is_branding_alone) return readable_json(branding, Layout::indented) + "\n";
    if (!is_single_form(formats)) return readable_json(as_object(document, formats, branding)) + "\n";
    if (formats.links) return one_url_a_line(document.links);
    if (formats.images) return one_url_a_line(document.images);
    if (formats.html) return document.html;
    if (formats.raw_html) return document.raw_html;
    return formats.text ? document.text : document.markdown;
}

std::string file_extension(const Formats& formats) {
    if (!is_single_form(formats)) return ".json";
    if (formats.markdown) return ".md";
    return formats.html || formats.raw_html ? ".html" : ".txt";
}

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

Result<crawl::CrawlOptions> crawl_options(const CommandContext& session, const CrawlFlags& flags) {
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
