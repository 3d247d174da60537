#include "extract/text_document.h"

#include <algorithm>
#include <string_view>

#include "base/ascii.h"
#include "extract/metadata/base_url.h"
#include "extract/metadata/dates.h"
#include "extract/front_matter.h"
#include "extract/html_document.h"
#include "extract/html_escape.h"
#include "extract/metadata/inline_links.h"
#include "extract/json_text.h"
#include "extract/one_line.h"
#include "extract/metadata/robots_directives.h"
#include "text/language.h"
#include "url/url.h"

namespace quarry::extract {

namespace {

constexpr std::size_t max_heading_bytes = 300;

std::string title_from_url(std::string_view url_text) {
    const auto url = url::Url::parse(url_text);
    if (!url) return {};
    std::string_view path = url->path();
    while (path.ends_with('/')) path.remove_suffix(1);
    path.remove_prefix(std::min(path.rfind('/') + 1, path.size()));
    return one_line(path.empty() ? url->host() : path, max_heading_bytes);
}

// The first line with words in it, unless it is too long to be a title.
std::string title_from_first_line(std::string_view text) {
    const std::size_t start = text.find_first_not_of(" \t\r\n\f");
    if (start == std::string_view::npos) return {};
    const std::string_view line = text.substr(start, text.find('\n', start) - start);
    constexpr std::size_t longest_title = 120;
    return line.size() <= longest_title ? one_line(line, max_heading_bytes) : std::string{};
}

// The text of the first heading: "# Title" or a line underlined with "===".
std::string title_from_heading(std::string_view markdown) {
    std::string_view before;
    while (!markdown.empty()) {
        const std::size_t end = std::min(markdown.find('\n'), markdown.size());
        const std::string_view line = trimmed(markdown.substr(0, end));
        markdown.remove_prefix(std::min(end + 1, markdown.size()));
        if (line.starts_with('#')) {
            const std::size_t text = line.find_first_not_of('#');
            if (text != std::string_view::npos && text <= 6 && line[text] == ' ') {
                return one_line(line.substr(text, line.find_last_not_of("# ") + 1 - text), max_heading_bytes);
            }
        }
        if (!before.empty() && line.size() >= 2 && line.find_first_not_of('=') == std::string_view::npos) {
            return one_line(before, max_heading_bytes);
        }
        before = line;
    }
    return {};
}

std::string preformatted(std::string_view text) {
    std::string html = "<pre>\n";
    append_text(html, text);
    return html + "</pre>";
}

// What all three kinds share. `text` is the document's text, `markdown` the same as markdown.
Result<Document> document_of(const Page& page, std::string_view text, std::string markdown,
                             const ExtractOptions& options) {
    const bool lacks_text = options.formats.wants_content() && trimmed(text).empty();
    if (lacks_text && options.when_empty == WhenEmpty::fail)
        return fail(ErrorCode::not_found, "the page has no text");
    Document document{.url = page.final_url};
    if (lacks_text) document.warning = document.no_text = "the page has no text";
    const Formats& formats = options.formats;
    if (formats.html) document.html = preformatted(text);
    if (formats.text) document.text = text;
    if (formats.links || formats.images) {
        const auto base = url::Url::parse(page.final_url);
        InlineLinks found = find_inline_links(markdown, base ? &*base : nullptr);
        if (formats.links) document.links = std::move(found.links);
        if (formats.images) document.images = std::move(found.images);
    }
    if (formats.markdown) document.markdown = std::move(markdown);
    add_robots_headers(page.headers, document.metadata.robots);
    return document;
}

std::string with_last_newline(std::string_view text) {
    std::string whole(text);
    if (!whole.empty() && !whole.ends_with('\n')) whole += '\n';
    return whole;
}

void finish(const ExtractOptions& options, const html::Decoded& decoded, Document& document) {
    detect_missing_language(options, document);
    if (decoded.had_errors) {
        add_warning(document, "some characters could not be read as " + std::string(decoded.encoding));
    }
    if (options.formats.raw_html) document.raw_html = decoded.text;
}

void apply_front_matter(const FrontMatter& matter, const url::Url* base, Metadata& metadata) {
    const auto field = [&](std::initializer_list<std::string_view> names) -> std::string {
        for (const std::string_view name : names) {
            const auto found = std::ranges::find(matter.fields, name, &NamedValue::first);
            if (found != matter.fields.end()) return found->second;
        }
        return {};
    };
    const auto date = [&](const std::string& value) { return iso_date(value).value_or(value); };
    metadata.title = field({"title"});
    metadata.description = field({"description", "summary", "excerpt", "subtitle"});
    metadata.language = text::normalise_language_tag(field({"lang", "language", "locale"}));
    metadata.author = field({"author", "author.name", "authors"});
    metadata.published = date(field({"date", "published", "pubdate", "publishdate", "created"}));
    metadata.modified = date(field({"updated", "lastmod", "modified", "last_modified"}));
    metadata.keywords = field({"keywords", "tags"});
    metadata.canonical = absolute_url(field({"canonical", "canonical_url"}), base);
    metadata.other = matter.fields;
}

}  // namespace

Result<Document> plain_document(const Page& page, const html::Decoded& decoded,
                                const ExtractOptions& options) {
    Document document = TRY(document_of(page, decoded.text, with_last_newline(decoded.text), options));
    document.metadata.title = title_from_first_line(decoded.text);
    if (document.metadata.title.empty()) document.metadata.title = title_from_url(page.final_url);
    finish(options, decoded, document);
    return document;
}

Result<Document> markdown_document(const Page& page, const html::Decoded& decoded,
                                   const ExtractOptions& options) {
    const FrontMatter matter = read_front_matter(decoded.text);
    Document document = TRY(document_of(page, matter.body, with_last_newline(matter.body), options));
    const auto base = url::Url::parse(page.final_url);
    apply_front_matter(matter, base ? &*base : nullptr, document.metadata);
    if (document.metadata.title.empty()) document.metadata.title = title_from_heading(matter.body);
    if (document.metadata.title.empty()) document.metadata.title = title_from_url(page.final_url);
    finish(options, decoded, document);
    return document;
}

Result<Document> json_document(const Page& page, const html::Decoded& decoded,
                               const ExtractOptions& options) {
    const std::string pretty = pretty_json(decoded.text);
    Document document = TRY(document_of(page, pretty, fenced(pretty, "json"), options));
    document.metadata.title = title_from_url(page.final_url);
    if (options.formats.raw_html) document.raw_html = decoded.text;
    return document;
}

}  // namespace quarry::extract
