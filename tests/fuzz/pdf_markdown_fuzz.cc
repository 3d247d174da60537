// Lays out anything as the words of a PDF: five bytes of place and style, then a word up to a space. A line
// break starts a new page.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "fetch/pdf/lines.h"
#include "fetch/pdf/markdown.h"

using namespace quarry::fetch;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::vector<PdfPage> pages;
    std::vector<PdfWord> words;
    for (std::size_t i = 0; i + 5 < size;) {
        const double left = data[i] * 3.0, top = data[i + 1] * 3.0, font_size = data[i + 2] / 8.0 - 1;
        const std::uint8_t style = data[i + 3];
        i += 5;
        PdfWord word{
            .left = left, .top = top, .right = left + 20, .bottom = top + font_size, .font_size = font_size};
        word.bold = (style & 1) != 0;
        word.monospace = (style & 2) != 0;
        word.space_after = (style & 4) != 0;
        while (i < size && data[i] != ' ' && data[i] != '\n') word.text += static_cast<char>(data[i++]);
        const bool ends_page = i < size && data[i] == '\n';
        ++i;
        words.push_back(std::move(word));
        if (ends_page) {
            pages.push_back(join_words(words));
            words.clear();
        }
    }
    pages.push_back(join_words(words));
    drop_running_lines(pages);
    const PdfMarkdown markdown = write_pdf_markdown(pages);
    if (!markdown.text.empty() && !markdown.text.ends_with('\n')) std::abort();
    return 0;
}
