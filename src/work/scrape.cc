#include "work/scrape.h"

#include <fmt/format.h>

#include "browser/pool.h"
#include "extract/script_made.h"
#include "html/parser.h"
#include "net/http_status.h"
#include "text/link_header.h"
#include "text/mime.h"
#include "url/page_address.h"
#include "work/read_document.h"

namespace quarry::work {

namespace {

Result<Document> read(const Page& page, const ScrapeOptions& options) {
    if (page.status >= 400)
        return fail(net::http_error_code(page.status), net::http_status_line(page.status));
    return read_document(page, options.extract, options.pdf);
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
    std::string warning;
    auto page = page_at(*std::move(address), stop, warning);
    if (!page) {
        record.error = std::move(page).error();
        return record;
    }
    record.final_url = page->final_url;
    record.status_code = page->status;
    record.content_type = page->content_type;
    record.fetched_at = page->fetched_at;
    keep(read(*page, options_), record);
    if (record.document && !warning.empty()) record.document->warning = warning;
    return record;
}

Result<Page> Scraper::plain_page(url::Url address, const std::stop_token& stop) const {
    const auto get = [&](url::Url from) {
        return fetcher_.fetch({.url = std::move(from),
                               .headers = options_.headers,
                               .policy = options_.policy,
                               .wants_content = may_hold_text,
                               .stop = stop});
    };
    auto page = get(std::move(address));
    if (page && may_be_replaced(options_.extract)) {
        if (auto better = markdown_address(*page)) {
            auto markdown = get(*std::move(better));
            if (markdown && is_markdown(*markdown)) {
                page->body = std::move(markdown->body);
                page->content_type = std::move(markdown->content_type);
            }
        }
    }
    return page;
}

// The page as it stands in the browser, in the place of what the server sent.
Result<Page> Scraper::rendered_page(url::Url address, const std::stop_token& stop) const {
    browser::RenderRequest request{.url = address};
    request.headers = options_.headers;
    request.policy = options_.policy;
    request.user_agent = options_.user_agent;
    request.blocked = {.ads = true, .fonts = true, .media = true, .images = true};
    request.limits.time = options_.page_time;
    request.stop = stop;
    browser::Rendered rendered = TRY(options_.browser->render(request));
    return Page{.url = address.href(),
                .final_url = std::move(rendered.final_url),
                .status = rendered.status,
                .headers = std::move(rendered.headers),
                .content_type = "text/html;charset=utf-8",
                .body = std::move(rendered.html),
                .fetched_at = std::chrono::system_clock::now()};
}

Result<Page> Scraper::page_at(url::Url address, const std::stop_token& stop, std::string& warning) const {
    if (options_.rendering == Rendering::never || !options_.browser) return plain_page(address, stop);
    const std::string origin = address.origin();
    const bool is_known =
        rendered_origins_.with([&](const auto& origins) { return origins.contains(origin); });
    if (is_known || options_.rendering == Rendering::always) {
        auto page = rendered_page(address, stop);
        // A PDF is no page to a browser, but one to us.
        if (page || page.error().code != ErrorCode::unsupported) return page;
        return plain_page(address, stop);
    }
    auto page = plain_page(address, stop);
    if (!page || page->status >= 400 || !is_empty_shell(*page)) return page;
    auto rendered = rendered_page(address, stop);
    if (!rendered) {
        warning = "the page is made by scripts, and the browser failed: " + rendered.error().message;
        return page;
    }
    rendered_origins_.with([&](auto& origins) { origins.insert(origin); });
    return rendered;
}

}  // namespace quarry::work
