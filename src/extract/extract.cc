#include "extract/extract.h"

#include "extract/feed/document.h"
#include "extract/html_document.h"
#include "extract/text_document.h"
#include "html/encoding/encoding.h"
#include "text/mime.h"
#include "text/mime_kind.h"
#include "url/url.h"

namespace quarry::extract {

namespace {

using text::ContentKind;

std::string path_of(const Page& page) {
    const auto url = url::Url::parse(page.final_url);
    return url ? std::string(url->path()) : std::string{};
}

html::Decoded decoded(const Page& page) {
    const auto type = text::parse_mime_type(page.content_type);
    return html::decode(page.body, type ? type->charset() : std::string_view{});
}

std::unexpected<Error> not_a_document(const Page& page, const text::Content& content) {
    const auto type = text::parse_mime_type(page.content_type);
    const std::string label = type ? " (" + type->essence + ")" : std::string{};
    return fail(ErrorCode::unsupported, content.name + label + ", not a document that quarry can read");
}

Result<Document> read(const Page& page, const text::Content& content, const ExtractOptions& options) {
    switch (content.kind) {
        case ContentKind::html:
        case ContentKind::xhtml: return html_document(page, decoded(page), options);
        case ContentKind::plain_text: return plain_document(page, decoded(page), options);
        case ContentKind::markdown: return markdown_document(page, decoded(page), options);
        case ContentKind::json: return json_document(page, decoded(page), options);
        case ContentKind::feed: return feed_document(page, options);
        case ContentKind::sitemap:
        case ContentKind::xml:
        case ContentKind::pdf:
        case ContentKind::other: break;
    }
    return not_a_document(page, content);
}

}  // namespace

Result<Document> extract(const Page& page, const ExtractOptions& options) {
    const text::Content content = text::classify(page.content_type, path_of(page), page.body);
    // A body that was not even fetched, because of its type, is empty too.
    const bool is_readable = content.kind != ContentKind::other;
    if (page.body.empty() && is_readable && options.formats.wants_content() &&
        options.when_empty == WhenEmpty::fail) {
        return fail(ErrorCode::not_found, "the page is empty");
    }
    return read(page, content, options);
}

}  // namespace quarry::extract
