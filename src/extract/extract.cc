#include "extract/extract.h"

#include "extract/feed_document.h"
#include "extract/html_document.h"
#include "extract/text_document.h"
#include "html/encoding.h"
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
    const std::string what = type ? type->essence + " is " : "it is ";
    return fail(ErrorCode::unsupported, what + content.name + ", not a document that quarry reads");
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
    // An empty body has no kind; nothing else would be true to say of it.
    if (page.body.empty() && options.formats.wants_content()) {
        return fail(ErrorCode::not_found, "the page is empty");
    }
    return read(page, text::classify(page.content_type, path_of(page), page.body), options);
}

}  // namespace quarry::extract
