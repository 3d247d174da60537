// `quarry map`: the URLs of a site.
#include <span>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "app/remote/pages.h"
#include "app/services/web_access.h"
#include "cli/command.h"
#include "cli/commands/page_options.h"
#include "cli/data_access.h"
#include "cli/exit.h"
#include "cli/output/files.h"
#include "crawl/robots.h"
#include "model/collection.h"
#include "model/json/readable.h"
#include "url/url.h"
#include "work/site/map_site.h"

namespace quarry::cli {

namespace {

struct MapArguments {
    std::string url{};
    std::string sitemap = "include";
    bool subdomains = false;
    HeaderOptions headers{};
    work::MapOptions options{};
};

Result<work::SitemapUse> parse_map_sitemap_use(const std::string& word) {
    if (word == "include") return work::SitemapUse::include;
    if (word == "skip") return work::SitemapUse::skip;
    if (word == "only") return work::SitemapUse::only;
    return fail(ErrorCode::invalid_argument,
                fmt::format("--sitemap is include, skip or only, not \"{}\"", word));
}

Result<work::SiteMap> make_map(const CommandContext& session, const MapArguments& arguments) {
    TRY(url::parse_page_address(arguments.url));
    work::MapOptions options = arguments.options;
    options.sitemap = TRY(parse_map_sitemap_use(arguments.sitemap));
    options.subdomains = arguments.subdomains ? work::Subdomains::include : work::Subdomains::leave_out;
    options.concurrency = static_cast<int>(session.settings.number("scrape.concurrency"));
    if (const auto server = TRY(app::RemoteApi::connect(session.settings)))
        return app::map_remotely(*server, arguments.url, options);
    const auto access = TRY(app::WebAccess::open(session.settings));
    const work::SiteAccess site{
        .fetcher = access->fetcher(),
        .policy = access->policy(),
        .headers = TRY(request_headers(arguments.headers, session.settings, std::span(&arguments.url, 1))),
        .agent = session.settings.text("robots.agent"),
        .limits = {.timeout = session.settings.duration("fetch.timeout")},
        .stop = stop_on_interrupt(),
        .credentials = access->credentials()};
    return work::map_site(site, arguments.url, options);
}

void print_links(const work::SiteMap& map) {
    std::string lines;
    for (const work::FoundPage& page : map.links) lines += page.url + "\n";
    write_data(lines);
}

int run_map(const CommandContext& session, const MapArguments& arguments) {
    const auto map = make_map(session, arguments);
    if (!map) return give_up(session, map.error());
    if (session.json) {
        write_data(readable_json(to_json(*map)) + "\n");
    } else {
        print_links(*map);
    }
    if (map->error) say_error(session.terminal, map->error->message);
    if (!map->warning.empty()) say("warning: " + map->warning);
    if (session.verbose)
        say(fmt::format("{} of the site, {} elsewhere", counted(map->internal_count, "page"),
                        map->external_count));
    if (was_interrupted()) return exit_interrupted;
    return map->success() && !map->links.empty() ? exit_success : exit_incomplete;
}

}  // namespace

Command add_map(CommandBuilder& builder) {
    Parser& parser =
        builder.add("map", "List the URLs of a site, from its sitemaps, feeds, llms.txt and links",
                    "quarry map https://docs.example.com\n"
                    "quarry map https://docs.example.com --search \"rate limit\" --limit 20\n"
                    "quarry map https://a.example --depth 2 --sitemap skip --json");
    const auto arguments = std::make_shared<MapArguments>();
    parser.add_option("url", arguments->url, "Where to start").required();
    parser
        .add_option("--depth", arguments->options.depth,
                    "Follow links this many steps from the start page (0)")
        .between(0, 100);
    parser.add_option("--limit", arguments->options.limit, "Most URLs to list (5000)").between(1, 1'000'000);
    parser.add_option("--search", arguments->options.search,
                      "Only URLs with these words in address or title, best first");
    parser.add_flag("--subdomains", arguments->subdomains, "Count subdomains as part of the site");
    parser.add_option("--sitemap", arguments->sitemap, "include, skip or only (include)");
    parser.add_flag("--external", arguments->options.list_external, "List links to other sites too");
    builder.setting(parser, {"-c,--concurrent", "scrape.concurrency", "Pages fetched at once (5)"});
    add_header_options(parser, arguments->headers);
    builder.network_settings(parser);
    return {&parser, [arguments](const CommandContext& session) { return run_map(session, *arguments); }};
}

// `quarry robots`: may a URL be fetched, and which line of robots.txt says so?

namespace {

struct RobotsOptions {
    std::string url{}, agent{}, file{};
};

struct Answer {
    url::Url url;
    std::string agent{};
    std::string source{};  // where the rules were read
    crawl::Robots robots;
};

constexpr std::uint64_t read_limit = 1 << 20;  // Rules beyond 500 KB do not count, so more need not be read.

Result<crawl::Robots> read_local(const std::string& file) {
    return crawl::Robots::parse(TRY(read_input(file, 100 * read_limit)));
}

Result<crawl::Robots> fetch_rules(const CommandContext& session, const url::Url& robots_url) {
    const auto access = TRY(app::WebAccess::open(session.settings));
    const std::string address = robots_url.href();
    fetch::FetchRequest request{.url = robots_url,
                                .headers = TRY(request_headers({}, session.settings, std::span(&address, 1))),
                                .policy = access->policy(),
                                .stop = stop_on_interrupt()};
    access->credentials()->add_to(request.headers, robots_url, local_owner);
    request.headers.push_back({"Accept", "text/plain, */*;q=0.1"});
    const auto page = access->fetcher().fetch(std::move(request));
    if (page) return crawl::Robots::from_response(page->status, page->body);
    const ErrorCode code = page.error().code;
    if (code == ErrorCode::refused || code == ErrorCode::invalid_argument || code == ErrorCode::interrupted)
        return std::unexpected(page.error());
    return crawl::Robots::from_response(0, "");  // No answer: nothing is allowed, and the verdict says so.
}

void print_text(const Answer& answer, const crawl::Verdict& verdict) {
    std::string out = fmt::format("{} {}\n", verdict.allowed ? "allowed" : "disallowed", answer.url.href());
    out += fmt::format("  agent:       {}\n", answer.agent);
    out += verdict.line > 0 ? fmt::format("  rule:        line {}: {}\n", verdict.line, verdict.rule)
                            : fmt::format("  rule:        {}\n", verdict.rule);
    if (const auto delay = answer.robots.crawl_delay(answer.agent))
        out += fmt::format("  crawl delay: {} s\n", static_cast<double>(delay->count()) / 1000);
    for (const std::string& sitemap : answer.robots.sitemaps())
        out += fmt::format("  sitemap:     {}\n", sitemap);
    if (answer.robots.was_truncated()) out += "  note:        only the first 500 KB of robots.txt count\n";
    write_data(out);
}

void print_json(const Answer& answer, const crawl::Verdict& verdict) {
    boost::json::object record = {
        {"url", answer.url.href()},
        {"allowed", verdict.allowed},
        {"agent", answer.agent},
        {"source", answer.source},
        {"rule", {{"line", verdict.line}, {"text", verdict.rule}, {"agent", verdict.agent}}}};
    const auto delay = answer.robots.crawl_delay(answer.agent);
    record["crawlDelay"] = delay ? boost::json::value(static_cast<double>(delay->count()) / 1000) : nullptr;
    boost::json::array sitemaps;
    for (const std::string& sitemap : answer.robots.sitemaps()) sitemaps.emplace_back(sitemap);
    record["sitemaps"] = std::move(sitemaps);
    write_data(boost::json::serialize(record) + "\n");
}

Result<Answer> ask(const CommandContext& session, const RobotsOptions& options) {
    url::Url url = TRY(url::parse_page_address(options.url));
    const url::Url robots_url = TRY(url::Url::parse("/robots.txt", &url));
    auto robots = TRY(options.file.empty() ? fetch_rules(session, robots_url) : read_local(options.file));
    return Answer{.url = std::move(url),
                  .agent = options.agent.empty() ? session.settings.text("robots.agent") : options.agent,
                  .source = options.file.empty() ? robots_url.href() : options.file,
                  .robots = std::move(robots)};
}

int run_robots(const CommandContext& session, const RobotsOptions& options) {
    const auto answer = ask(session, options);
    if (!answer) {
        say_error(session.terminal, answer.error().message);
        return exit_codes_of(answer.error().code).of_page;
    }
    const crawl::Verdict verdict = answer->robots.check(answer->agent, answer->url);
    session.json ? print_json(*answer, verdict) : print_text(*answer, verdict);
    return verdict.allowed ? exit_success : exit_incomplete;
}

}  // namespace

Command add_robots(CommandBuilder& builder) {
    Parser& parser = builder.add("robots", "Tell whether robots.txt allows a URL, and by which rule",
                                 "quarry robots https://a.example/private/\n"
                                 "quarry robots https://a.example/ --agent GPTBot\n"
                                 "quarry robots https://a.example/x --file robots.txt --json");
    const auto options = std::make_shared<RobotsOptions>();
    parser.add_option("url", options->url, "The URL to ask about").required();
    parser.add_option("--agent", options->agent, "The name to match rules against (quarry)");
    parser.add_option("--file", options->file, "Read this robots.txt instead of fetching it");
    builder.network_settings(parser);
    return {&parser, [options](const CommandContext& session) { return run_robots(session, *options); }};
}

}  // namespace quarry::cli
