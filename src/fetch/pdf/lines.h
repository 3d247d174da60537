// From the words on a PDF's pages, which know only where they stand, to lines of text.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace quarry::fetch {

// Coordinates are in points from the page's top left corner.
struct PdfWord {
    std::string text{};
    double left = 0, top = 0, right = 0, bottom = 0;
    double font_size = 0;
    bool bold = false;
    bool monospace = false;
    bool space_after = false;
};

struct PdfLine {
    std::string text{};
    double left = 0, top = 0, right = 0, bottom = 0;
    double font_size = 0;    // of most of its characters
    bool bold = false;       // all of it
    bool monospace = false;  // all of it
};

using PdfPage = std::vector<PdfLine>;

// Joins words, given in reading order, into lines.
PdfPage join_words(std::span<const PdfWord> words);

// Removes running headers, footers and page numbers: the first and last lines of pages if at least three
// pages and a third of all have the same at the same height, or one with a number that counts the pages.
void drop_running_lines(std::vector<PdfPage>& pages);

}  // namespace quarry::fetch
