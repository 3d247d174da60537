#include "api/firecrawl/page_request.h"

#include <algorithm>
#include <array>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "crawl/options/json.h"
#include "html/selector/selector.h"
#include "model/job.h"
#include "schema/schema.h"

namespace quarry::api {

namespace {

namespace json = boost::json;

constexpr std::size_t longest_prompt = 10'000;

std::string text_at(const json::object& object, std::string_view key) {
    const json::value* value = object.if_contains(key);
    return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

// A text that a format must have.
void read_text(Fields& fields, const json::object& format, std::string_view key, std::string& into) {
    into = text_at(format, key);
    if (into.empty() || into.size() > longest_prompt)
        fields.reject("formats",
                      "has a format without its \"" + std::string(key) + "\" of up to 10,000 characters");
}

}  // namespace

void read_schema_and_prompt(Fields& fields, const json::object& object, DataWish& wish,
                            std::string_view format_field) {
    const auto reject = [&](std::string_view name, const std::string& sentence) {
        if (format_field.empty())
            fields.reject(name, sentence);
        else
            fields.reject(format_field, "has a " + std::string(name) + " that " + sentence);
    };
    wish.wants_json = true;
    const json::value* prompt = object.if_contains("prompt");
    const bool has_prompt = prompt != nullptr && !prompt->is_null();
    wish.prompt = text_at(object, "prompt");
    if ((has_prompt && !prompt->is_string()) || wish.prompt.size() > longest_prompt)
        return reject("prompt", "has to be a text of up to 10,000 characters");
    const json::value* schema = object.if_contains("schema");
    if (schema != nullptr && !schema->is_null()) {
        if (const auto parsed = schema::Schema::parse(*schema); !parsed)
            return reject("schema", "cannot work: " + parsed.error().message);
        wish.schema = json::serialize(*schema);
    }
    if (wish.schema.empty() && wish.prompt.empty())
        fields.reject(format_field.empty() ? "schema" : format_field,
                      "has to say what is wanted, if no prompt does: a JSON Schema");
}

bool read_data_format(Fields& fields, std::string_view name, const json::object& format, DataWish& wish) {
    if (name == "json" || name == "extract" || name == "deterministicJson") {
        read_schema_and_prompt(fields, format, wish, "formats");
    } else if (name == "summary") {
        wish.wants_summary = true;
    } else if (name == "question") {
        read_text(fields, format, "question", wish.question);
    } else if (name == "highlights") {
        read_text(fields, format, "query", wish.highlights);
    } else if (name == "query") {
        const bool wants_quotes = text_at(format, "mode") == "directQuote";
        read_text(fields, format, "prompt", wants_quotes ? wish.highlights : wish.question);
    } else {
        return false;
    }
    return true;
}

namespace {

namespace json = boost::json;
using crawl::CrawlOptions;

constexpr std::size_t most_urls = 100'000;
constexpr std::int64_t most_pages = 1'000'000;

struct NamedFormat {
    std::string_view name;
    bool Formats::* wanted;
};

constexpr std::array known_formats{
    NamedFormat{"markdown", &Formats::markdown}, NamedFormat{"html", &Formats::html},
    NamedFormat{"rawHtml", &Formats::raw_html},  NamedFormat{"links", &Formats::links},
    NamedFormat{"images", &Formats::images},     NamedFormat{"branding", &Formats::branding},
};

// Firecrawl's formats that need something quarry does not have.
constexpr std::array<std::string_view, 4> other_formats{"product", "menu", "audio", "video"};

// [{"selector", "attribute"}], in a format's object.
void read_attributes(Fields& fields, const json::object& format, CrawlOptions& options) {
    constexpr std::size_t most = 50;
    const json::value* selectors = format.if_contains("selectors");
    const auto wrong = [&] {
        fields.reject("formats",
                      "has attributes without \"selectors\": a list of up to 50 objects with "
                      "\"selector\" and \"attribute\"");
    };
    if (!selectors || !selectors->is_array() || selectors->get_array().empty() ||
        selectors->get_array().size() > most)
        return wrong();
    for (const json::value& item : selectors->get_array()) {
        const json::object* wish = item.if_object();
        const json::value* selector = wish ? wish->if_contains("selector") : nullptr;
        const json::value* attribute = wish ? wish->if_contains("attribute") : nullptr;
        if (!selector || !attribute || !selector->is_string() || !attribute->is_string()) return wrong();
        if (const auto parsed = html::parse_selectors(selector->get_string()); !parsed)
            return fields.reject("formats", "has attributes that cannot work: " + parsed.error().message);
        options.attributes.push_back(
            {std::string(selector->get_string()), std::string(attribute->get_string())});
    }
}

void read_screenshot(Fields& fields, std::string_view name, const json::object& format,
                     CrawlOptions& options) {
    auto picture = crawl::read_picture(format);
    if (!picture)
        return fields.reject("formats", "has a screenshot that cannot be taken: " + picture.error().message);
    if (options.picture) return fields.reject("formats", "has more than one screenshot");
    if (name != "screenshot") picture->full_page = true;
    options.picture = *std::move(picture);
}

void read_change_tracking(Fields& fields, const json::object& format, CrawlOptions& options) {
    options.track_changes = true;
    if (const json::value* tag = format.if_contains("tag"); tag && tag->is_string())
        options.change_tag = tag->get_string();
    const json::value* modes = format.if_contains("modes");
    if (!modes || modes->is_null()) return;
    if (!modes->is_array()) return fields.reject("formats", "has modes of changeTracking that are no list");
    for (const json::value& mode : modes->get_array()) {
        if (mode == "git-diff") {
            options.show_changes = true;
        } else if (mode == "json") {
            fields.reject("formats",
                          "has changeTracking with the mode json, which needs a language model that this "
                          "server does not have: use git-diff");
        } else {
            fields.reject("formats", "has changeTracking with a mode that is not git-diff");
        }
    }
}

void read_format(Fields& fields, const json::value& value, CrawlOptions& options, DataWish& data) {
    const json::object* object = value.if_object();
    const json::value* type = object ? object->if_contains("type") : &value;
    if (!type || !type->is_string())
        return fields.reject("formats", "has to be a list of names, or of objects with a \"type\"");
    const std::string_view name = type->get_string();
    const json::object nothing;
    const auto known = std::ranges::find(known_formats, name, &NamedFormat::name);
    if (known != known_formats.end()) {
        options.formats.*(known->wanted) = true;
    } else if (name == "attributes") {
        read_attributes(fields, object ? *object : nothing, options);
    } else if (name == "screenshot" || name == "screenshot@fullPage") {
        read_screenshot(fields, name, object ? *object : nothing, options);
    } else if (name == "changeTracking") {
        read_change_tracking(fields, object ? *object : nothing, options);
    } else if (read_data_format(fields, name, object ? *object : nothing, data)) {
        return;
    } else if (std::ranges::find(other_formats, name) != other_formats.end()) {
        fields.reject("formats", fmt::format("has \"{}\", which this server does not offer", name));
    } else {
        fields.reject("formats",
                      fmt::format("has \"{}\": there are markdown, html, rawHtml, links, images, "
                                  "attributes, branding, changeTracking, screenshot, json, summary, "
                                  "question and highlights",
                                  name.substr(0, 40)));
    }
}

void read_formats(Fields& fields, CrawlOptions& options, DataWish& data) {
    options.formats = Formats();
    if (!fields.any("formats")) return;
    const json::array* list = fields.array("formats");
    if (!list || list->empty()) return;
    options.formats.markdown = false;
    for (const json::value& format : *list) read_format(fields, format, options, data);
}

// An option that needs a browser has every page rendered in one. Without such an option, only pages that are
// empty otherwise are rendered.
void read_browsing(Fields& fields, CrawlOptions& options) {
    constexpr std::int64_t longest_wait = 60'000;
    if (const auto wait = fields.integer("waitFor", 0, longest_wait))
        options.wait_for = std::chrono::milliseconds(*wait);
    options.mobile = fields.flag("mobile").value_or(false);
    options.block_ads = fields.flag("blockAds").value_or(true);
    if (const json::value* value = fields.any("actions")) {
        auto actions = crawl::read_actions(*value);
        if (!actions) return fields.reject("actions", "cannot work: " + actions.error().message);
        options.actions = *std::move(actions);
    }
    options.render = Rendering::when_empty;
    if (const auto word = fields.text("render")) {
        const auto rendering = crawl::parse_rendering(*word);
        if (!rendering) return fields.reject("render", "cannot work: " + rendering.error().message);
        options.render = *rendering;
    }
    const bool needs_browser = options.wait_for.count() > 0 || options.mobile || !options.actions.empty() ||
                               options.picture || options.formats.branding;
    if (needs_browser) options.render = Rendering::always;
    if (const auto checked = crawl::check_browsing(options); !checked)
        fields.reject("actions", "cannot work: " + checked.error().message);
}

std::vector<Header> read_headers(Fields& fields) {
    std::vector<Header> headers;
    const json::object* object = fields.object("headers");
    if (!object) return headers;
    for (const auto& [name, value] : *object) {
        if (!value.is_string()) {
            fields.reject("headers", "has to map names to texts");
            continue;
        }
        headers.push_back({.name = std::string(name), .value = std::string(value.get_string())});
    }
    return headers;
}

// {"country": "DE", "languages": ["de-DE"]}: stored with the job and returned with it, but pages are fetched
// from where the server is.
void read_location(Fields& fields, CrawlOptions& options) {
    const json::object* location = fields.object("location");
    if (!location) return;
    constexpr std::size_t most_bytes = 1'024;
    std::vector<Issue> issues;
    Fields inner(*location, issues);
    inner.text("country");
    inner.texts("languages");
    if (!issues.empty() || json::serialize(*location).size() > most_bytes)
        return fields.reject("location", "has to be {\"country\": \"DE\", \"languages\": [\"de\"]}");
    options.location = *location;
}

template <typename T>
void set(T& into, std::optional<T> value) {
    if (value) into = *std::move(value);
}

crawl::SitemapUse read_sitemap_use(Fields& fields) {
    const auto name = fields.text("sitemap");
    if (name == "skip" || fields.flag("ignoreSitemap") == true) return crawl::SitemapUse::skip;
    if (name == "only") return crawl::SitemapUse::only;
    if (name && name != "include") fields.reject("sitemap", "has to be include, skip or only");
    return crawl::SitemapUse::include;
}

void read_scope(Fields& fields, CrawlOptions& options) {
    set(options.include_paths, fields.texts("includePaths"));
    set(options.exclude_paths, fields.texts("excludePaths"));
    set(options.regex_on_full_url, fields.flag("regexOnFullURL"));
    set(options.entire_domain, fields.flag("allowBackwardLinks"));  // as v1 says it
    set(options.entire_domain, fields.flag("crawlEntireDomain"));
    set(options.subdomains, fields.flag("allowSubdomains"));
    set(options.external, fields.flag("allowExternalLinks"));
    set(options.ignore_query_parameters, fields.flag("ignoreQueryParameters"));
    set(options.deduplicate_similar_urls, fields.flag("deduplicateSimilarURLs"));
    set(options.limit, fields.integer("limit", 1, most_pages));
    constexpr std::int64_t deepest = 1'000'000;
    for (const std::string_view name : {"maxDepth", "maxDiscoveryDepth"})
        if (const auto depth = fields.integer(name, 0, deepest)) options.max_depth = static_cast<int>(*depth);
    options.sitemap = read_sitemap_use(fields);
}

void read_manners(Fields& fields, CrawlOptions& options) {
    constexpr double longest_delay = 60;
    if (const auto seconds = fields.number("delay", 0, longest_delay))
        options.delay = std::chrono::milliseconds(static_cast<std::int64_t>(*seconds * 1'000));
    if (const auto count = fields.integer("maxConcurrency", 1, 1'000))
        options.max_concurrency = static_cast<int>(*count);
    set(options.ignore_robots, fields.flag("ignoreRobotsTxt"));
    set(options.robots_agent, fields.text("robotsUserAgent"));
    set(options.zero_retention, fields.flag("zeroDataRetention"));
    if (const json::value* value = fields.any("webhook")) {
        auto webhook = crawl::parse_webhook(*value);
        if (!webhook) return fields.reject("webhook", "cannot be used: " + webhook.error().message);
        options.webhook = *std::move(webhook);
    }
}

// The field at fault: the options are valid without it.
std::string_view faulty_field(const CrawlOptions& options) {
    CrawlOptions others = options;
    others.headers.clear();
    if (crawl::check(others)) return "headers";
    others = options;
    others.include_paths.clear();
    if (crawl::check(others)) return "includePaths";
    others = options;
    others.exclude_paths.clear();
    return crawl::check(others) ? "excludePaths" : "request";
}

// Reports errors that only a check of all options finds, such as expressions that do not parse. `page_prefix`
// is the path of the page's options.
void check(const CrawlOptions& options, std::vector<Issue>& issues, std::string_view page_prefix = "") {
    if (!issues.empty()) return;
    const auto checked = crawl::check(options);
    if (checked) return;
    const std::string_view field = faulty_field(options);
    issues.push_back({.path = fmt::format("{}{}", field == "headers" ? page_prefix : "", field),
                      .message = "cannot work: " + checked.error().message});
}

void read_selectors(Fields& fields, std::string_view name, std::vector<std::string>& into) {
    auto texts = fields.texts(name);
    if (!texts) return;
    for (const std::string& text : *texts)
        if (const auto parsed = html::parse_selectors(text); !parsed)
            return fields.reject(name, "cannot work: " + parsed.error().message);
    into = *std::move(texts);
}

}  // namespace

// The request may want only a part of the page, which must not answer requests for the whole page.
CrawlOptions options_of_pages(std::string_view kind) {
    return {.kind = std::string(kind),
            .list_only_seeds = true,
            .ignore_robots = true,
            .render = Rendering::when_empty,
            .keep_errors = true,
            .collection = "scrapes",
            .embed = false,
            .refresh = false};
}

PageWish read_page_wish(Fields& fields, CrawlOptions& options, DataFormats data) {
    PageWish wish;
    read_formats(fields, options, wish.data);
    read_browsing(fields, options);
    if (data == DataFormats::refused && wish.data.wants_any())
        fields.reject("formats", "has json, summary, question or highlights, which are not offered here");
    options.headers = read_headers(fields);
    options.full_page = fields.flag("onlyMainContent") == false;
    read_location(fields, options);
    read_selectors(fields, "includeTags", options.include_tags);
    read_selectors(fields, "excludeTags", options.exclude_tags);
    const auto duration = [&](std::string_view name,
                              std::int64_t least) -> std::optional<std::chrono::milliseconds> {
        constexpr std::int64_t longest = 1'000LL * 86'400 * 3'650;
        const auto number = fields.integer(name, least, longest);
        if (!number) return std::nullopt;
        return std::chrono::milliseconds(*number);
    };
    constexpr std::int64_t shortest_timeout = 1'000;
    const auto timeout = duration("timeout", shortest_timeout);
    if (timeout && options.wait_for > *timeout / 2)
        fields.reject("waitFor", "is more than half of the timeout");
    set(wish.timeout, timeout);
    wish.max_age = duration("maxAge", 0);
    wish.min_age = duration("minAge", 0);
    set(wish.store_in_cache, fields.flag("storeInCache"));
    set(wish.cached_only, fields.flag("lockdown"));
    return wish;
}

CrawlOptions read_crawl_request(const json::object& body, std::vector<Issue>& issues) {
    CrawlOptions options{.render = Rendering::when_empty};
    Fields fields(body, issues);
    if (auto url = fields.url("url")) options.urls = {*std::move(url)};
    read_scope(fields, options);
    read_manners(fields, options);
    if (const json::object* page = fields.object("scrapeOptions")) {
        Fields inner(*page, issues, "scrapeOptions.");
        options.data = read_page_wish(inner, options, DataFormats::taken).data;
    }
    check(options, issues, "scrapeOptions.");
    return options;
}

CrawlOptions read_batch_request(const json::object& body, std::vector<Issue>& issues,
                                std::vector<std::string>& invalid) {
    CrawlOptions options = options_of_pages("batch_scrape");
    Fields fields(body, issues);
    read_manners(fields, options);
    options.data = read_page_wish(fields, options, DataFormats::taken).data;
    const auto urls = fields.texts("urls");
    if (!urls && !fields.any("urls")) fields.reject("urls", "is missing");
    fields.text("appendToId");  // only its type is checked here: the route that begins the batch reads it
    const bool ignores_invalid = fields.flag("ignoreInvalidURLs").value_or(true);
    for (const std::string& text : urls.value_or(std::vector<std::string>{})) {
        if (auto url = read_page_url(text)) {
            options.urls.push_back(*std::move(url));
        } else {
            invalid.push_back(text);
        }
    }
    if (!ignores_invalid && !invalid.empty())
        fields.reject("urls", fmt::format("has \"{}\", which is no http or https URL", invalid.front()));
    if (urls && options.urls.empty()) fields.reject("urls", "has no http or https URL");
    if (options.urls.size() > most_urls)
        fields.reject("urls", fmt::format("has more than {} URLs", most_urls));
    // More pages may be added to the batch while it runs.
    options.limit = most_urls;
    check(options, issues);
    return options;
}

ScrapeRequest read_scrape_request(const json::object& body, std::vector<Issue>& issues) {
    ScrapeRequest request{.options = options_of_pages("scrape")};
    request.options.limit = 1;
    request.options.priority = priority_high;
    Fields fields(body, issues);
    if (auto url = fields.url("url")) request.options.urls = {*std::move(url)};
    request.wish = read_page_wish(fields, request.options, DataFormats::taken);
    set(request.options.zero_retention, fields.flag("zeroDataRetention"));
    request.shown = request.options.formats;
    if (request.wish.data.wants_any())
        request.options.formats.raw_html = request.options.formats.markdown = true;
    check(request.options, issues);
    return request;
}

}  // namespace quarry::api
