#include "work/scrape.h"

#include <fmt/format.h>

#include "text/mime.h"
#include "work/http_status.h"
#include "work/page_address.h"
#include "work/read_document.h"

namespace quarry::work {

namespace {

// A video costs no more than its headers. Vaguer types are let through: servers call anything octet-stream.
bool may_hold_text(std::string_view content_type) {
    const auto type = text::parse_mime_type(content_type);
    if (!type) return true;
    for (const std::string_view kind : {"image/", "audio/", "video/", "font/"}) {
        if (type->essence.starts_with(kind)) return false;
    }
    return true;
}

Result<Document> read(const Page& page, const ScrapeOptions& options) {
    if (page.status >= 400) return fail(http_error_code(page.status), http_status_line(page.status));
    return read_document(page, options.extract, options.pdf);
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
    auto address = parse_page_address(url);
    if (!address) {
        record.error = std::move(address).error();
        return record;
    }
    auto page = fetcher_.fetch({.url = *std::move(address),
                                .headers = options_.headers,
                                .policy = options_.policy,
                                .wants_content = may_hold_text,
                                .stop = std::move(stop)});
    if (!page) {
        record.error = std::move(page).error();
        return record;
    }
    record.final_url = page->final_url;
    record.status_code = page->status;
    record.content_type = page->content_type;
    record.fetched_at = page->fetched_at;
    keep(read(*page, options_), record);
    return record;
}

}  // namespace quarry::work
