#include "work/page/scrape.h"

#include <chrono>
#include <unordered_set>

#include <boost/json.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "branding/profile.h"
#include "browser/pool.h"
#include "extract/client_rendered.h"
#include "html/parser.h"
#include "model/json/output.h"
#include "net/http_message.h"
#include "text/link_header.h"
#include "text/mime.h"
#include "url/canonical.h"
#include "url/url.h"
#include "work/in_order.h"
#include "work/page/read_document.h"

namespace quarry::work {

namespace {

Result<Document> read(const Page& page, bool is_rendered, const ScrapeOptions& options) {
    if (page.status >= 400)
        return fail(net::http_error_code(page.status), net::http_status_line(page.status));
    extract::ExtractOptions how = options.extract;
    how.is_rendered = is_rendered;
    return read_document(page, how, options.pdf);
}

// Only a reader of the main content as markdown is served by another form of the page.
bool may_be_replaced(const extract::ExtractOptions& options) {
    const Formats& formats = options.formats;
    const bool needs_html = formats.html || formats.raw_html || formats.links || formats.images;
    return formats.markdown && !needs_html && !options.full_page && options.include_tags.empty() &&
           options.exclude_tags.empty();
}

// Where the server itself says that it has the same page as markdown.
std::optional<url::Url> markdown_address(const Page& page) {
    const std::string target =
        text::link_target(page.headers, {.relation = "alternate", .type = "text/markdown"});
    if (target.empty() || page.status != 200) return std::nullopt;
    const auto base = url::Url::parse(page.final_url);
    if (!base) return std::nullopt;
    const auto address = url::Url::parse(target, &*base);
    if (!address || address->origin() != base->origin()) return std::nullopt;
    return *address;
}

bool is_markdown(const Page& page) {
    const auto type = text::parse_mime_type(page.content_type);
    return page.status == 200 && type && type->essence == "text/markdown";
}

bool is_empty_shell(const Page& page) {
    const auto type = text::parse_mime_type(page.content_type);
    const bool is_html = !type || type->essence == "text/html" || type->essence == "application/xhtml+xml";
    return is_html && extract::made_by_scripts(html::parse(page.body)) != extract::ScriptMade::no;
}

void keep(Result<Document> document, ScrapeRecord& record) {
    if (document) {
        record.document = *std::move(document);
    } else {
        record.error = std::move(document).error();
    }
}

}  // namespace

ScrapeRecord Scraper::scrape(const std::string& url, std::stop_token stop) const {
    ScrapeRecord record{.url = url, .fetched_at = std::chrono::system_clock::now()};
    auto address = url::parse_page_address(url);
    if (!address) {
        record.error = std::move(address).error();
        return record;
    }
    auto got = page_at(*std::move(address), stop);
    if (!got) {
        record.error = std::move(got).error();
        return record;
    }
    const Page& page = got->page;
    record.final_url = page.final_url;
    record.status_code = page.status;
    record.content_type = page.content_type;
    record.fetched_at = page.fetched_at;
    record.picture = std::move(got->picture);
    record.branding = std::move(got->branding);
    record.lacks_browser = got->lacks_browser;
    keep(read(page, got->is_rendered, options_), record);
    if (record.document && !got->warning.empty()) record.document->warning = got->warning;
    return record;
}

std::vector<Header> Scraper::headers_for(const url::Url& url) const {
    std::vector<Header> headers = options_.headers;
    if (options_.credentials) options_.credentials->add_to(headers, url, local_owner);
    return headers;
}

Result<Scraper::Got> Scraper::plain_page(url::Url address, const std::stop_token& stop) const {
    const auto get = [&](url::Url from) {
        auto headers = headers_for(from);
        return fetcher_.fetch({.url = std::move(from),
                               .headers = std::move(headers),
                               .policy = options_.policy,
                               .wants_content = may_hold_text,
                               .stop = stop});
    };
    Page page = TRY(get(std::move(address)));
    if (may_be_replaced(options_.extract)) {
        if (auto better = markdown_address(page)) {
            auto markdown = get(*std::move(better));
            if (markdown && is_markdown(*markdown)) {
                page.body = std::move(markdown->body);
                page.content_type = std::move(markdown->content_type);
            }
        }
    }
    return Got{.page = std::move(page)};
}

// The page as it stands in the browser, in the place of what the server sent.
Result<Scraper::Got> Scraper::rendered_page(url::Url address, const std::stop_token& stop) const {
    RenderWish wish = options_.render;
    wish.policy = options_.policy;
    browser::RenderRequest request = render_request(address, headers_for(address), wish);
    request.stop = stop;
    browser::Rendered rendered = TRY(options_.browser->render(request));
    Got got{.page = take_page(address, rendered), .is_rendered = true};
    got.picture = std::move(rendered.picture);
    if (wish.branding) got.branding = branding::profile_of(rendered.branding);
    got.warning = std::move(rendered.warning);
    return got;
}

Result<Scraper::Got> Scraper::page_at(url::Url address, const std::stop_token& stop) const {
    if (options_.rendering == Rendering::never) return plain_page(address, stop);
    if (options_.rendering == Rendering::always) {
        if (!options_.browser) return fail(ErrorCode::unavailable, options_.no_browser);
        auto got = rendered_page(address, stop);
        // A PDF is no page to a browser, but one to us, unless what it looks like is wanted.
        const bool is_of_another_kind = !got && got.error().code == ErrorCode::unsupported;
        const bool must_be_seen = options_.render.picture || options_.render.branding;
        return is_of_another_kind && !must_be_seen ? plain_page(address, stop) : std::move(got);
    }
    Got got = TRY(plain_page(address, stop));
    if (got.page.status >= 400 || !is_empty_shell(got.page)) return got;
    if (!options_.browser) {
        got.lacks_browser = true;
        return got;
    }
    auto rendered = rendered_page(address, stop);
    if (!rendered) {
        got.warning = "the page is made by scripts, and the browser failed: " + rendered.error().message;
        return got;
    }
    return rendered;
}

namespace {

// One entry per page, in order. What is no URL stays, to be reported.
std::vector<std::string> distinct_pages(std::span<const std::string> urls) {
    std::vector<std::string> pages;
    std::unordered_set<std::string> known;
    for (const std::string& text : urls) {
        const auto url = url::parse_page_address(text);
        if (known.insert(url ? url::canonical(*url) : text).second) pages.push_back(text);
    }
    return pages;
}

}  // namespace

void Scraper::scrape_all(std::span<const std::string> urls, const std::function<void(ScrapeRecord)>& deliver,
                         std::stop_token stop) const {
    const std::vector<std::string> pages = distinct_pages(urls);
    run_in_order(
        pages.size(), options_.concurrency, [&](std::size_t index) { return scrape(pages[index], stop); },
        [&](ScrapeRecord record) {
            deliver(std::move(record));
            return true;
        },
        stop);
}

std::size_t Scraper::count_pages(std::span<const std::string> urls) {
    return distinct_pages(urls).size();
}

namespace {

namespace json = boost::json;

// Programs tell failures apart by these; the sentence is for people.
std::string_view code_name(ErrorCode code) {
    switch (code) {
        case ErrorCode::invalid_argument: return "invalid_argument";
        case ErrorCode::not_found: return "not_found";
        case ErrorCode::conflict: return "conflict";
        case ErrorCode::refused: return "refused";
        case ErrorCode::unavailable: return "unavailable";
        case ErrorCode::timeout: return "timeout";
        case ErrorCode::too_large: return "too_large";
        case ErrorCode::unsupported: return "unsupported";
        case ErrorCode::corrupt: return "corrupt";
        case ErrorCode::interrupted: return "interrupted";
        case ErrorCode::exhausted: return "exhausted";
    }
    return "unknown";
}

std::string iso_time(std::chrono::system_clock::time_point time) {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", std::chrono::floor<std::chrono::seconds>(time));
}

}  // namespace

json::object to_json(const ScrapeRecord& record, const Formats& formats) {
    json::object object;
    object["url"] = url::without_secrets(record.url);
    object["success"] = record.success();
    object["status_code"] = record.status_code;
    object["crawl_timestamp"] = iso_time(record.fetched_at);
    object["error"] = nullptr;
    if (record.error) {
        object["error"] = record.error->message;
        object["code"] = code_name(record.error->code);
    }
    json::object metadata;
    if (record.document) {
        object["title"] = record.document->metadata.title;
        object["description"] = record.document->metadata.description;
        for (auto& [name, value] : quarry::to_json(*record.document, formats)) object[name] = value;
        if (!record.branding.empty()) object["branding"] = record.branding;
        if (const json::value* found = object.if_contains("metadata")) metadata = found->as_object();
    }
    metadata["sourceURL"] = url::without_secrets(record.url);
    if (!record.final_url.empty()) metadata["url"] = record.final_url;
    metadata["statusCode"] = record.status_code;
    if (!record.content_type.empty()) metadata["contentType"] = record.content_type;
    if (record.error) metadata["error"] = record.error->message;
    metadata["fetchedAt"] = iso_time(record.fetched_at);
    object["metadata"] = std::move(metadata);
    return object;
}

}  // namespace quarry::work
