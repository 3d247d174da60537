#include "extract/feed/document.h"

#include "extract/metadata/author_name.h"
#include "extract/metadata/base_url.h"
#include "extract/html_writer.h"
#include "extract/metadata/dates.h"
#include "extract/html_escape.h"
#include "extract/content/extract_main_content.h"
#include "html/parser.h"

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

}  // namespace quarry::extract
