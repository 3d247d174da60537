// Lines of a PDF to markdown: paragraphs put together again, headings by the size of their letters, lists by
// their bullets, code by its typeface.
#pragma once

#include <span>
#include <string>

#include "fetch/pdf/lines.h"

namespace quarry::fetch {

struct PdfMarkdown {
    std::string text{};           // ends with one newline, or is ""
    std::string first_heading{};  // the first of the largest headings, as plain text
};

// Pure; linear in the number of lines.
PdfMarkdown write_pdf_markdown(std::span<const PdfPage> pages);

}  // namespace quarry::fetch
