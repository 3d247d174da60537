// Paragraphs of a PDF, put together from its lines.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fetch/pdf/lines.h"

namespace quarry::fetch {

struct PdfBlock {
    std::string text{};  // one line; of code blocks, lines with their indentation
    double font_size = 0;
    bool bold = false;
    bool code = false;
    bool list_item = false;  // the text is without its bullet
    int lines = 0;
};

// The font size of most of the document's text; 0 without any.
double body_font_size(std::span<const PdfPage> pages);

// Lines that belong together by distance, size and indentation. A sentence that goes on in the next column or
// on the next page stays in one piece, and a word broken at the end of a line becomes whole.
std::vector<PdfBlock> join_lines(std::span<const PdfPage> pages);

}  // namespace quarry::fetch
