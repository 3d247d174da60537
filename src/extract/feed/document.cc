#include "extract/feed/document.h"

#include "extract/content/main_content.h"
#include "extract/feed/parser.h"
#include "extract/html_document.h"
#include "extract/html_writer.h"
#include "extract/metadata/byline.h"
#include "extract/metadata/dates.h"
#include "extract/metadata/links.h"
#include "extract/metadata/page_facts.h"
#include "extract/user_selectors.h"
#include "html/parser.h"
#include "text/language.h"

namespace quarry::extract {

namespace {

void append_element(std::string& html, std::string_view tag, std::string_view text) {
    if (text.empty()) return;
    html += "<" + std::string(tag) + ">";
    append_text(html, text);
    html += "</" + std::string(tag) + ">\n";
}

void append_heading(std::string& html, const FeedItem& item, const std::string& url) {
    html += "<h2>";
    if (!url.empty()) {
        html += "<a href=\"";
        append_attribute_value(html, url);
        html += "\">";
    }
    append_text(html, item.title.empty() ? url : item.title);
    html += url.empty() ? "</h2>\n" : "</a></h2>\n";
}

std::string date_and_author(const FeedItem& item) {
    std::string line = iso_date(item.published).value_or(item.published);
    if (const std::string author = author_name(item.author); !author.empty()) {
        line += (line.empty() ? "" : ", ") + author;
    }
    return line;
}

std::string clean(const std::string& content, const url::Url* base) {
    const html::Tree tree = html::parse(content);
    return to_clean_html(tree, select_full_page(tree), {.base = base, .keep_data_images = true});
}

void append_item(std::string& html, const FeedItem& item, const url::Url* base) {
    const std::string address = item.url.empty() ? std::string{} : absolute_url(item.url, base);
    const auto own_base = url::Url::parse(address);
    html += "<article>";
    append_heading(html, item, address);
    append_element(html, "p", date_and_author(item));
    html += "<div>" + clean(item.content, own_base ? &*own_base : base) + "</div></article>\n";
}

}  // namespace

std::string to_html(const Feed& feed, const url::Url* base) {
    std::string html = "<!DOCTYPE html><body>";
    append_element(html, "h1", feed.title);
    append_element(html, "p", feed.description);
    for (const FeedItem& item : feed.items) append_item(html, item, base);
    return html;
}

namespace {

Metadata metadata_of(const Feed& feed, const Page& page, const url::Url* base) {
    Metadata metadata;
    metadata.title = feed.title;
    metadata.description = feed.description;
    metadata.language = text::normalise_language_tag(feed.language);
    metadata.modified = iso_date(feed.updated).value_or(std::string{});
    metadata.site_name = feed.title;
    if (base != nullptr) metadata.favicon = absolute_url("/favicon.ico", base);
    add_robots_headers(page.headers, metadata.robots);
    return metadata;
}

}  // namespace

Result<Document> feed_document(const Page& page, const ExtractOptions& options) {
    const Feed feed = TRY(parse_feed(page.body));
    const auto own_url = url::Url::parse(page.final_url);
    const url::Url* base = own_url ? &*own_url : nullptr;
    const html::Tree tree = html::parse(to_html(feed, base));
    // All of a feed is content: what boilerplate there is, is inside the texts.
    Selection selection = select_full_page(tree);
    if (!options.include_tags.empty()) TRY(keep_only(tree, options.include_tags, selection));
    if (!options.exclude_tags.empty()) TRY(drop_matches(tree, options.exclude_tags, selection));

    Document document{.url = page.final_url};
    if (options.formats.raw_html) document.raw_html = page.body;
    write_forms(tree, selection, base, options, document);
    if (options.formats.metadata) document.metadata = metadata_of(feed, page, base);
    detect_missing_language(options, document);
    if (feed.is_cut) add_warning(document, "the feed is broken or too long: only its first part was read");
    return document;
}

}  // namespace quarry::extract
