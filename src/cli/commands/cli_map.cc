// `quarry map`: the URLs of a site.
#include <span>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "app/remote/pages.h"
#include "app/services/web_access.h"
#include "cli/commands.h"
#include "cli/exit.h"
#include "cli/interrupt.h"
#include "cli/data_access.h"
#include "cli/commands/request_headers.h"
#include "model/json/readable.h"
#include "url/page_address.h"
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

Result<work::SiteMap> make_map(const Session& session, const MapArguments& arguments) {
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

int run_map(const Session& session, const MapArguments& arguments) {
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
    return map->success() && !map->links.empty() ? exit_yes : exit_no;
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
    return {&parser, [arguments](const Session& session) { return run_map(session, *arguments); }};
}

}  // namespace quarry::cli
