#include "cli/commands/search_text.h"

#include <algorithm>

#include <fmt/format.h>

namespace quarry::cli {
namespace {

constexpr std::size_t indent = 4;
constexpr int narrowest = 40, widest = 100;  // longer lines are hard to read

// Columns a text takes: characters of East Asia and pictures take two. Near enough to wrap lines by.
std::size_t columns_of(std::string_view text) {
    std::size_t columns = 0;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if ((byte & 0xC0) == 0x80) continue;
        columns += byte >= 0xE3 && byte != 0xEF ? 2 : 1;
    }
    return columns;
}

// Writes words into lines of a width, painting those that are marked.
class Paragraph {
public:
    Paragraph(const Terminal& terminal, std::size_t width) : terminal_(terminal), width_(width) {}

    void add(const search::Snippet& snippet) {
        const std::string text = printable(snippet.text);
        std::size_t at = 0;
        while (at < text.size()) {
            const std::size_t end = std::min(text.find(' ', at), text.size());
            if (end > at)
                add_word(text, {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end)}, snippet);
            at = end + 1;
        }
    }

    std::string take() { return std::move(out_); }

private:
    using Range = search::Snippet::Range;

    void add_word(const std::string& text, Range word, const search::Snippet& snippet) {
        const std::size_t columns =
            columns_of(std::string_view(text).substr(word.begin, word.end - word.begin));
        if (column_ > 0 && column_ + 1 + columns > width_) {
            out_ += '\n';
            column_ = 0;
        }
        out_ += column_ > 0 ? " " : std::string(indent, ' ');
        column_ += (column_ > 0 ? 1 : 0) + columns;
        std::uint32_t at = word.begin;
        for (const Range& mark : snippet.marks) {
            const Range part{std::max(mark.begin, at), std::min(mark.end, word.end)};
            if (part.begin >= part.end) continue;
            out_.append(text, at, part.begin - at);
            out_ += terminal_.paint_data(Colour::bold,
                                         std::string_view(text).substr(part.begin, part.end - part.begin));
            at = part.end;
        }
        out_.append(text, at, word.end - at);
    }

    const Terminal& terminal_;
    std::size_t width_;
    std::string out_;
    std::size_t column_ = 0;
};

std::string indented(std::string_view text) {
    std::string lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        if (!line.empty()) lines += std::string(indent, ' ') + printable(line);
        lines += '\n';
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

// "Guide › Linux", without the page's own title, which stands above it.
std::string heading_path(const search::Hit& hit, const search::Passage& passage) {
    std::string path;
    for (const std::string& heading : passage.headings) {
        if (&heading == &passage.headings.front() && heading == hit.label.title) continue;
        path += (path.empty() ? "" : " › ") + heading;
    }
    return printable(path);
}

std::string passage_text(const search::Hit& hit, bool whole, const Terminal& terminal) {
    if (hit.passages.empty()) return "";
    const search::Passage& passage = hit.passages.front();
    std::string text;
    if (const std::string path = heading_path(hit, passage); !path.empty())
        text += std::string(indent, ' ') + terminal.paint_data(Colour::grey, path) + "\n";
    if (whole) return text + indented(passage.text);
    const int width = std::clamp(terminal.columns, narrowest, widest) - static_cast<int>(indent) - 1;
    Paragraph paragraph(terminal, static_cast<std::size_t>(width));
    paragraph.add(passage.snippet);
    return text + paragraph.take() + "\n";
}

}  // namespace

std::string hits_text(const search::SearchAnswer& answer, const search::SearchRequest& request,
                      const Terminal& terminal) {
    std::string text;
    int rank = request.offset;
    for (const search::Hit& hit : answer.hits) {
        const std::string& title = hit.label.title.empty() ? hit.label.id : hit.label.title;
        text += text.empty() ? "" : "\n";
        text += fmt::format("{:>2}  {}\n", ++rank, terminal.paint_data(Colour::bold, printable(title)));
        if (!hit.label.url.empty())
            text += fmt::format("    {}\n", terminal.paint_data(Colour::blue, printable(hit.label.url)));
        text += passage_text(hit, request.context > 0, terminal);
    }
    return text;
}

}  // namespace quarry::cli
