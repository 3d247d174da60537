// The names are Firecrawl's where it has one. Two tables say which name is which member; reading and writing
// go by the member's type, so that a new option is one line.
#include "crawl/options/options.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <limits>
#include <type_traits>
#include <variant>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "base/ascii.h"
#include "base/suggest.h"
#include "crawl/options/json.h"
#include "crawl/scope.h"
#include "model/job.h"
#include "url/url.h"

namespace quarry::crawl {

namespace {

namespace json = boost::json;
using Strings = std::vector<std::string>;

using Member =
    std::variant<bool CrawlOptions::*, int CrawlOptions::*, std::int64_t CrawlOptions::*,
                 std::string CrawlOptions::*, Strings CrawlOptions::*, std::optional<int> CrawlOptions::*,
                 SitemapUse CrawlOptions::*, std::chrono::milliseconds CrawlOptions::*>;

struct Option {
    std::string_view name;
    Member member;
};

constexpr std::array crawl_options{
    Option{"kind", &CrawlOptions::kind},
    Option{"urls", &CrawlOptions::urls},
    Option{"maxDiscoveryDepth", &CrawlOptions::max_depth},
    Option{"limit", &CrawlOptions::limit},
    Option{"includePaths", &CrawlOptions::include_paths},
    Option{"excludePaths", &CrawlOptions::exclude_paths},
    Option{"regexOnFullURL", &CrawlOptions::regex_on_full_url},
    Option{"crawlEntireDomain", &CrawlOptions::entire_domain},
    Option{"allowSubdomains", &CrawlOptions::subdomains},
    Option{"allowExternalLinks", &CrawlOptions::external},
    Option{"sitemap", &CrawlOptions::sitemap},
    Option{"ignoreQueryParameters", &CrawlOptions::ignore_query_parameters},
    Option{"deduplicateSimilarURLs", &CrawlOptions::deduplicate_similar_urls},
    Option{"listOnlySeeds", &CrawlOptions::list_only_seeds},
    Option{"delay", &CrawlOptions::delay},
    Option{"maxConcurrency", &CrawlOptions::max_concurrency},
    Option{"ignoreRobotsTxt", &CrawlOptions::ignore_robots},
    Option{"robotsUserAgent", &CrawlOptions::robots_agent},
    Option{"allowNetworks", &CrawlOptions::allow_networks},
    Option{"allowPrivate", &CrawlOptions::allow_private},
    Option{"keepErrors", &CrawlOptions::keep_errors},
    Option{"collection", &CrawlOptions::collection},
    Option{"owner", &CrawlOptions::owner},
    Option{"requestKey", &CrawlOptions::request_key},
    Option{"priority", &CrawlOptions::priority},
    Option{"exclusive", &CrawlOptions::exclusive},
    Option{"embed", &CrawlOptions::embed},
    Option{"goOn", &CrawlOptions::go_on},
    Option{"prune", &CrawlOptions::prune},
    Option{"refresh", &CrawlOptions::refresh},
    Option{"zeroDataRetention", &CrawlOptions::zero_retention},
};

// Inside "scrapeOptions", together with headers, formats, attributes, onlyMainContent and what is asked of a
// browser, which are shaped otherwise.
constexpr std::array page_options{
    Option{"includeTags", &CrawlOptions::include_tags},   Option{"excludeTags", &CrawlOptions::exclude_tags},
    Option{"trackChanges", &CrawlOptions::track_changes}, Option{"showChanges", &CrawlOptions::show_changes},
    Option{"changeTag", &CrawlOptions::change_tag},
};

constexpr std::array<std::string_view, 3> sitemap_names{"include", "skip", "only"};

json::value written(std::integral auto value) {
    return value;
}
json::value written(const std::string& value) {
    return json::value(value);
}
json::value written(const Strings& values) {
    json::array array;
    for (const std::string& value : values) array.emplace_back(value);
    return array;
}
json::value written(SitemapUse use) {
    return json::value(sitemap_names[static_cast<std::size_t>(use)]);
}
// Seconds, as in Firecrawl.
json::value written(std::chrono::milliseconds delay) {
    if (delay.count() % 1000 == 0) return delay.count() / 1000;
    return static_cast<double>(delay.count()) / 1000;
}

Result<void> read(const json::value& value, std::string_view name, bool& into) {
    if (!value.is_bool()) return wrong_kind(value, name, "true or false");
    into = value.get_bool();
    return {};
}

Result<void> read(const json::value& value, std::string_view name, std::int64_t& into) {
    if (!value.is_int64()) return wrong_kind(value, name, "a whole number");
    into = value.get_int64();
    return {};
}

Result<void> read(const json::value& value, std::string_view name, std::optional<int>& into) {
    constexpr int largest = std::numeric_limits<int>::max();
    if (!value.is_int64() || value.get_int64() < 0 || value.get_int64() > largest)
        return wrong_kind(value, name, "a whole number that is not negative");
    into = static_cast<int>(value.get_int64());
    return {};
}

// Only the priority is a plain int. It has names too.
Result<void> read(const json::value& value, std::string_view name, int& into) {
    if (!value.is_string() && !value.is_int64())
        return wrong_kind(value, name, "high, normal, low or a number");
    // Clients that number the other way round reach below what people do.
    constexpr std::int64_t least = -1'000, most = 1'010;
    if (value.is_int64() && value.get_int64() >= least && value.get_int64() <= most) {
        into = static_cast<int>(value.get_int64());
        return {};
    }
    const std::string text =
        value.is_string() ? std::string(value.get_string()) : std::to_string(value.get_int64());
    into = TRY(parse_priority(text));
    return {};
}

Result<void> read(const json::value& value, std::string_view name, std::string& into) {
    if (!value.is_string()) return wrong_kind(value, name, "a text");
    into = value.get_string();
    return {};
}

Result<void> read(const json::value& value, std::string_view name, Strings& into) {
    into = TRY(read_texts(value, name));
    return {};
}

Result<void> read(const json::value& value, std::string_view name, SitemapUse& into) {
    for (std::size_t i = 0; i < sitemap_names.size(); ++i) {
        if (!value.is_string() || value.get_string() != sitemap_names[i]) continue;
        into = static_cast<SitemapUse>(i);
        return {};
    }
    return wrong_kind(value, name, "include, skip or only");
}

Result<void> read(const json::value& value, std::string_view name, std::chrono::milliseconds& into) {
    constexpr double longest = 86'400;
    boost::system::error_code error;
    const double seconds = value.is_number() ? value.to_number<double>(error) : -1;
    if (!(seconds >= 0 && seconds <= longest))
        return wrong_kind(value, name, "a number of seconds up to a day");
    into = std::chrono::milliseconds(std::llround(seconds * 1000));
    return {};
}

template <std::size_t count>
void write_all(const CrawlOptions& options, const std::array<Option, count>& table, json::object& out) {
    for (const Option& option : table) {
        std::visit(
            [&](auto member) {
                const auto& value = options.*member;
                if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::optional<int>>) {
                    if (value) out[option.name] = *value;
                } else {
                    out[option.name] = written(value);
                }
            },
            option.member);
    }
}

template <std::size_t count>
Result<void> read_all(const json::object& in, const std::array<Option, count>& table, CrawlOptions& options) {
    for (const Option& option : table) {
        const json::value* value = in.if_contains(option.name);
        if (value == nullptr || value->is_null()) continue;
        TRY(std::visit([&](auto member) { return read(*value, option.name, options.*member); },
                       option.member));
    }
    return {};
}

template <std::size_t count>
Result<void> check_names(const json::object& in, const std::array<Option, count>& table, Strings names) {
    for (const Option& option : table) names.emplace_back(option.name);
    for (const auto& member : in) {
        if (std::ranges::find(names, member.key()) != names.end()) continue;
        const std::string meant = nearest_word(member.key(), names);
        return fail(ErrorCode::invalid_argument,
                    fmt::format("unknown option \"{}\"{}", std::string_view(member.key()),
                                meant.empty() ? "" : fmt::format(", did you mean \"{}\"?", meant)));
    }
    return {};
}

Result<Keeping> read_keeping(const json::value& value) {
    const json::object* in = value.if_object();
    const json::value* completed = in ? in->if_contains("completedMs") : nullptr;
    const json::value* failed = in ? in->if_contains("failedMs") : nullptr;
    const auto is_time = [](const json::value* time) {
        return time && time->is_int64() && time->get_int64() >= 0;
    };
    if (!is_time(completed) || !is_time(failed))
        return wrong_kind(value, "keep", R"({"completedMs": …, "failedMs": …})");
    return Keeping{std::chrono::milliseconds(completed->get_int64()),
                   std::chrono::milliseconds(failed->get_int64())};
}

Result<void> read_page_options(const json::value& value, CrawlOptions& options) {
    if (!value.is_object()) return wrong_kind(value, "scrapeOptions", "an object");
    const json::object& in = value.get_object();
    Strings others{"attributes", "data", "formats", "headers", "location", "onlyMainContent"};
    others.insert(others.end(), browsing_names.begin(), browsing_names.end());
    TRY(check_names(in, page_options, std::move(others)));
    TRY(read_all(in, page_options, options));
    TRY(read_browsing(in, options));
    if (const json::value* formats = in.if_contains("formats"); formats && !formats->is_null())
        options.formats = TRY(read_formats(*formats));
    if (const json::value* headers = in.if_contains("headers"); headers && !headers->is_null())
        options.headers = TRY(read_headers(*headers));
    if (const json::value* attributes = in.if_contains("attributes"); attributes && !attributes->is_null())
        options.attributes = TRY(read_attributes(*attributes));
    if (const json::value* data = in.if_contains("data"); data && !data->is_null())
        options.data = TRY(read_data(*data));
    if (const json::value* location = in.if_contains("location"); location && !location->is_null()) {
        if (!location->is_object()) return wrong_kind(*location, "location", "an object");
        options.location = location->get_object();
    }
    if (const json::value* main = in.if_contains("onlyMainContent"); main && !main->is_null()) {
        bool only_main_content = true;
        TRY(read(*main, "onlyMainContent", only_main_content));
        options.full_page = !only_main_content;
    }
    return {};
}

}  // namespace

Concurrency concurrency_of(const CrawlOptions& options) {
    if (options.kind == "scrape" || options.kind == "rescrape") return Concurrency::unlimited;
    return options.exclusive ? Concurrency::exclusive : Concurrency::shared;
}

json::object to_json(const CrawlOptions& options) {
    json::object out;
    write_all(options, crawl_options, out);
    json::object page;
    page["formats"] = write_formats(options.formats);
    page["headers"] = write_headers(options.headers);
    page["attributes"] = write_attributes(options.attributes);
    write_all(options, page_options, page);
    write_browsing(options, page);
    if (options.data.wants_any()) page["data"] = write_data(options.data);
    if (!options.location.empty()) page["location"] = options.location;
    page["onlyMainContent"] = !options.full_page;
    out["scrapeOptions"] = std::move(page);
    if (options.webhook) out["webhook"] = to_json(*options.webhook);
    if (!options.about.empty()) out["about"] = options.about;
    if (options.keeping)
        out["keep"] = json::object{{"completedMs", options.keeping->completed.count()},
                                   {"failedMs", options.keeping->failed.count()}};
    if (json::object request = to_json(options.request); !request.empty())
        out["request"] = std::move(request);
    return out;
}

Result<CrawlOptions> parse_crawl_options(const json::value& value) {
    if (!value.is_object()) return wrong_kind(value, "a crawl's options", "an object");
    const json::object& in = value.get_object();
    CrawlOptions options;
    TRY(check_names(in, crawl_options, {"url", "scrapeOptions", "webhook", "about", "keep", "request"}));
    TRY(read_all(in, crawl_options, options));
    if (const json::value* url = in.if_contains("url"); url && !url->is_null()) {
        std::string seed;
        TRY(read(*url, "url", seed));
        options.urls.insert(options.urls.begin(), std::move(seed));
    }
    if (const json::value* page = in.if_contains("scrapeOptions"); page && !page->is_null())
        TRY(read_page_options(*page, options));
    if (const json::value* webhook = in.if_contains("webhook"); webhook && !webhook->is_null())
        options.webhook = TRY(parse_webhook(*webhook));
    if (const json::value* about = in.if_contains("about"); about && !about->is_null()) {
        if (!about->is_object()) return wrong_kind(*about, "about", "an object");
        options.about = about->get_object();
    }
    if (const json::value* keep = in.if_contains("keep"); keep && !keep->is_null())
        options.keeping = TRY(read_keeping(*keep));
    if (const json::value* request = in.if_contains("request"); request && !request->is_null())
        options.request = TRY(parse_request_context(*request));
    return options;
}

Result<CrawlOptions> options_of(const Group& group) {
    boost::system::error_code error;
    const json::value value = json::parse(group.options, error);
    if (error) return fail(ErrorCode::corrupt, "the crawl's options are damaged: " + error.message());
    return parse_crawl_options(value);
}

namespace {

constexpr int most_connections = 10'000;
// More than any web has, and a number to calculate with: a crawl keeps several URLs for each page.
constexpr std::int64_t most_pages = 1'000'000'000'000;
constexpr std::chrono::milliseconds longest_delay = std::chrono::hours(1);

Result<void> check_urls(const CrawlOptions& options) {
    if (options.urls.empty()) return fail(ErrorCode::invalid_argument, "a crawl needs a URL to start from");
    for (const std::string& text : options.urls) {
        const auto url = url::Url::parse(text);
        if (!url)
            return fail(url.error().code, fmt::format("cannot crawl \"{}\": {}", url::without_secrets(text),
                                                      url.error().message));
        if (!url->is_http() || url->host().empty())
            return fail(ErrorCode::invalid_argument,
                        fmt::format("cannot crawl \"{}\": only http and https URLs can be crawled",
                                    url::without_secrets(text)));
    }
    return {};
}

Result<void> check_numbers(const CrawlOptions& options) {
    if (options.limit < 1) return fail(ErrorCode::invalid_argument, "the limit must be at least one page");
    if (options.limit > most_pages)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("the limit must be at most {} pages", most_pages));
    if (options.max_depth && *options.max_depth < 0)
        return fail(ErrorCode::invalid_argument, "the depth must not be negative; 0 fetches only the start");
    if (options.max_concurrency &&
        (*options.max_concurrency < 1 || *options.max_concurrency > most_connections))
        return fail(ErrorCode::invalid_argument,
                    fmt::format("the number of pages at once must be from 1 to {}", most_connections));
    if (options.delay.count() < 0 || options.delay > longest_delay)
        return fail(ErrorCode::invalid_argument, "the delay must be from 0 to 3600 seconds");
    return {};
}

// A line break in a header would let its writer add headers, or a whole request, of his own.
Result<void> check_headers(const CrawlOptions& options) {
    for (const Header& header : options.headers) {
        const bool named = !header.name.empty() && std::ranges::all_of(header.name, is_http_token_character);
        const bool one_line = header.value.find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos;
        if (!named || !one_line)
            return fail(ErrorCode::invalid_argument,
                        fmt::format("\"{}\" is not a header that can be sent", header.name));
    }
    return {};
}

// Options are kept as JSON, which has no place for other bytes, and is not read again where it is nested
// deeper than this.
Result<void> check_text(const CrawlOptions& options) {
    boost::system::error_code error;
    boost::json::parse(boost::json::serialize(to_json(options)), error);
    if (error == boost::json::error::too_deep)
        return fail(ErrorCode::invalid_argument, "the options are nested more than 32 levels deep");
    if (error) return fail(ErrorCode::invalid_argument, "the options contain bytes that are not UTF-8");
    return {};
}

}  // namespace

// As stores have it of pages that are written: names that begin so belong to crawls without retention.
Result<void> check_collection(const std::string& name) {
    if (!name.empty() && !name.starts_with('#')) return {};
    return fail(ErrorCode::invalid_argument, "a collection has a name, which does not begin with #");
}

Result<void> check(const CrawlOptions& options) {
    TRY(check_text(options));
    TRY(check_collection(options.collection));
    TRY(check_urls(options));
    TRY(check_numbers(options));
    TRY(check_headers(options));
    TRY(check_browsing(options));
    if (options.webhook) TRY(check(*options.webhook));
    TRY(PathFilter::create(options.include_paths));
    TRY(PathFilter::create(options.exclude_paths));
    return {};
}

}  // namespace quarry::crawl
