#include "app/remote/pages.h"

#include <deque>
#include <future>
#include <set>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "crawl/options/json.h"
#include "model/json/fields.h"
#include "net/http_message.h"
#include "url/url.h"

namespace quarry::app {
namespace {

namespace json = boost::json;
using work::ScrapeRecord;

template <typename Item>
std::vector<Item> urls_in(const json::object& object, std::string_view name) {
    std::vector<Item> items;
    const json::value* list = object.if_contains(name);
    if (!list || !list->is_array()) return items;
    for (const json::value& url : list->get_array())
        if (url.is_string()) items.push_back({.url = std::string(url.get_string())});
    return items;
}

// Facts of the fetch, which the record states itself, and what a server adds for its own clients.
constexpr std::string_view not_of_the_page[] = {
    "sourceURL",   "url",        "statusCode", "contentType",       "error", "proxyUsed",
    "creditsUsed", "cacheState", "cachedAt",   "scrapeId",          "title", "description",
    "language",    "jsonLd",     "numPages",   "concurrencyLimited"};

// Each under the name it has there, so that it is written as it was read.
Metadata metadata_of(const json::object& stated) {
    Metadata metadata{.title = text_in(stated, "title"),
                      .description = text_in(stated, "description"),
                      .language = text_in(stated, "language")};
    if (const json::value* pages = stated.if_contains("numPages"); pages && pages->is_int64())
        metadata.pages = static_cast<int>(std::clamp<std::int64_t>(pages->get_int64(), 0, 1'000'000));
    if (const json::value* list = stated.if_contains("jsonLd"); list && list->is_array())
        for (const json::value& item : list->get_array()) metadata.json_ld.push_back(json::serialize(item));
    for (const auto& [name, value] : stated) {
        if (std::ranges::count(not_of_the_page, std::string_view(name)) > 0) continue;
        if (value.is_string()) metadata.other.emplace_back(name, value.get_string());
        if (!value.is_array()) continue;
        for (const json::value& item : value.get_array())
            if (item.is_string()) metadata.other.emplace_back(name, item.get_string());
    }
    return metadata;
}

json::object request_of(const std::string& url, const RemoteScrape& options) {
    const Formats& formats = options.extract.formats;
    json::array wanted;
    if (formats.markdown) wanted.emplace_back("markdown");
    if (formats.html) wanted.emplace_back("html");
    if (formats.raw_html) wanted.emplace_back("rawHtml");
    if (formats.links) wanted.emplace_back("links");
    if (formats.images) wanted.emplace_back("images");
    if (formats.branding) wanted.emplace_back("branding");
    // A scrape always has words; those of one that asked for facts alone are left out.
    if (wanted.empty()) wanted.emplace_back("markdown");
    json::object request{{"url", url},
                         {"formats", std::move(wanted)},
                         {"onlyMainContent", !options.extract.full_page},
                         {"removeBase64Images", !options.extract.keep_data_images},
                         {"render", crawl::name_of(options.rendering)},
                         {"maxAge", 0},
                         {"timeout", options.timeout.count()}};
    const auto add_tags = [&](std::string_view name, const std::vector<std::string>& tags) {
        if (!tags.empty()) request[name] = json::array(tags.begin(), tags.end());
    };
    add_tags("includeTags", options.extract.include_tags);
    add_tags("excludeTags", options.extract.exclude_tags);
    json::object headers;
    for (const Header& header : options.headers) headers[header.name] = header.value;
    if (!headers.empty()) request["headers"] = std::move(headers);
    return request;
}

// Each page once, at the place of its first URL.
std::vector<std::string> different(std::span<const std::string> urls) {
    std::vector<std::string> kept;
    std::set<std::string> seen;
    for (const std::string& url : urls) {
        const auto address = url::parse_page_address(url);
        if (seen.insert(address ? address->href() : url).second) kept.push_back(url);
    }
    return kept;
}

ScrapeRecord scrape_one(RemoteApi& api, const std::string& url, const RemoteScrape& options) {
    if (const auto address = url::parse_page_address(url); !address) {
        ScrapeRecord record{.url = url, .fetched_at = std::chrono::system_clock::now()};
        record.error = address.error();
        return record;
    }
    return read_scrape_answer(url, api.send(net::HttpMethod::post, "/v2/scrape", request_of(url, options)));
}

}  // namespace

Result<void> check(const RemoteScrape& options) {
    if (!options.extract.formats.text) return {};
    return fail(ErrorCode::unsupported,
                "a server gives no plain text: ask for markdown, or leave out --server");
}

ScrapeRecord read_scrape_answer(const std::string& url, const Result<json::value>& answer) {
    ScrapeRecord record{.url = url, .fetched_at = std::chrono::system_clock::now()};
    const json::object* object = answer ? answer->if_object() : nullptr;
    const json::value* data = object ? object->if_contains("data") : nullptr;
    if (!data || !data->is_object()) {
        const std::string said = object ? text_in(*object, "error") : "";
        record.error = !answer
                           ? answer.error()
                           : Error{ErrorCode::unavailable, said.empty() ? "the server gave no page" : said};
        return record;
    }
    const json::object& page = data->get_object();
    const json::value* stated = page.if_contains("metadata");
    const json::object facts = stated && stated->is_object() ? stated->get_object() : json::object();
    if (const json::value* status = facts.if_contains("statusCode"); status && status->is_int64())
        record.status_code = static_cast<int>(std::clamp<std::int64_t>(status->get_int64(), 0, 999));
    record.final_url = text_in(facts, "url");
    record.content_type = text_in(facts, "contentType");
    if (record.status_code >= 400) {
        record.error = {net::http_error_code(record.status_code), net::http_status_line(record.status_code)};
        return record;
    }
    record.document = Document{.url = record.final_url,
                               .markdown = text_in(page, "markdown"),
                               .html = text_in(page, "html"),
                               .raw_html = text_in(page, "rawHtml"),
                               .metadata = metadata_of(facts),
                               .links = urls_in<Link>(page, "links"),
                               .images = urls_in<Image>(page, "images"),
                               .warning = text_in(page, "warning")};
    if (const json::value* branding = page.if_contains("branding"); branding && branding->is_object())
        record.branding = branding->get_object();
    return record;
}

void scrape_remotely(RemoteApi& api, std::span<const std::string> urls, const RemoteScrape& options,
                     const std::function<void(ScrapeRecord)>& deliver, std::stop_token stop) {
    std::deque<std::future<ScrapeRecord>> under_way;
    const auto deliver_first = [&] {
        ScrapeRecord record = under_way.front().get();
        under_way.pop_front();
        if (!stop.stop_requested()) deliver(std::move(record));
    };
    for (const std::string& url : different(urls)) {
        if (stop.stop_requested()) break;
        under_way.push_back(
            std::async(std::launch::async, [&api, &options, url] { return scrape_one(api, url, options); }));
        if (static_cast<int>(under_way.size()) >= options.concurrency) deliver_first();
    }
    while (!under_way.empty()) deliver_first();
}

Result<work::SiteMap> map_remotely(RemoteApi& api, const std::string& url, const work::MapOptions& options) {
    if (options.depth > 0 || options.list_external)
        return fail(ErrorCode::unsupported,
                    "a server takes no --depth and no --external: leave them out, or "
                    "leave out --server");
    constexpr std::string_view uses[] = {"include", "skip", "only"};
    json::object request{{"url", url},
                         {"limit", options.limit},
                         {"includeSubdomains", options.subdomains == work::Subdomains::include},
                         {"ignoreQueryParameters", false},
                         {"sitemap", uses[static_cast<std::size_t>(options.sitemap)]}};
    if (!options.search.empty()) request["search"] = options.search;
    const json::value answer = TRY(api.send(net::HttpMethod::post, "/v2/map", request));
    const json::object* object = answer.if_object();
    const json::value* links = object ? object->if_contains("links") : nullptr;
    if (!links || !links->is_array()) return fail(ErrorCode::corrupt, "the server's answer has no links");
    work::SiteMap map{.url = url, .warning = text_in(*object, "warning")};
    for (const json::value& link : links->get_array())
        if (link.is_object())
            map.links.push_back(
                {.url = text_in(link.get_object(), "url"), .title = text_in(link.get_object(), "title")});
    map.internal_count = map.links.size();
    return map;
}

}  // namespace quarry::app
