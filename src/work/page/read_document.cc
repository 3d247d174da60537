#include "work/page/read_document.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "text/mime.h"
#include "text/mime_kind.h"
#include "url/url.h"

namespace quarry::work {

namespace {

bool is_pdf(const Page& page) {
    const auto url = url::Url::parse(page.final_url);
    const std::string_view path = url ? url->path() : std::string_view{};
    return text::classify(page.content_type, path, page.body).kind == text::ContentKind::pdf;
}

void add_facts(const fetch::PdfText& pdf, Document& document) {
    Metadata& metadata = document.metadata;
    if (!pdf.title.empty()) metadata.title = pdf.title;
    metadata.author = pdf.author;
    metadata.published = pdf.created;
    metadata.pages = pdf.page_count;
    if (pdf.pages_read < pdf.page_count) {
        document.warning =
            fmt::format("only the first {} of {} pages were read", pdf.pages_read, pdf.page_count);
    }
}

// Once it is markdown, a PDF is a document like any other.
Result<Document> read_pdf_document(const Page& page, const extract::ExtractOptions& options,
                                   const fetch::PdfLimits& limits) {
    auto pdf = fetch::read_pdf(page.body, limits);
    if (!pdf) return fail(pdf.error().code, "the PDF " + pdf.error().message);
    Page as_markdown{
        .url = page.url, .final_url = page.final_url, .status = page.status, .headers = page.headers};
    as_markdown.content_type = "text/markdown;charset=utf-8";
    as_markdown.body = std::move(pdf->markdown);
    Document document = TRY(extract::extract(as_markdown, options));
    document.raw_html.clear();
    add_facts(*pdf, document);
    return document;
}

}  // namespace

Result<Document> read_document(const Page& page, const extract::ExtractOptions& options,
                               const fetch::PdfLimits& pdf_limits) {
    if (is_pdf(page)) return read_pdf_document(page, options, pdf_limits);
    return extract::extract(page, options);
}

bool may_hold_text(std::string_view content_type) {
    const auto type = text::parse_mime_type(content_type);
    if (!type) return true;
    constexpr std::array<std::string_view, 4> others = {"image/", "audio/", "video/", "font/"};
    return std::ranges::none_of(others, [&](auto kind) { return type->essence.starts_with(kind); });
}

}  // namespace quarry::work
