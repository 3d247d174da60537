// Collects the inline content of one block (a paragraph, a heading, a table cell) and writes it as markdown.
//
// HTML nests elements around text; markdown puts delimiters between characters and is particular about where.
// So formats are only noted when they begin, and written when visible text arrives: empty elements leave no
// trace, spaces end up outside of delimiters, <em>a</em><em>b</em> becomes one emphasis, and a format that
// spans several blocks is closed and opened again around each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "extract/markdown/emphasis.h"

namespace quarry::extract::markdown {

// How a line break inside a block is written.
enum class BreakStyle : std::uint8_t {
    hard,   // paragraphs: two spaces and a newline
    space,  // headings have one line
    tag,    // table cells: <br>
};

class InlineRun {
public:
    // Begins a format for what follows. False if it is already in effect: then it must not be closed.
    bool open(Format format);
    // Begins a link. Its text may go on over several blocks.
    bool open_link(std::string_view destination, std::string_view title);
    void close();
    bool is_open(Format format) const;

    // Text as it stands in the page; white space collapses, what markdown would misread is escaped.
    void text(std::string_view text);
    // Text of an inline code element. Pieces that touch become one code span.
    void code(std::string_view text);
    // Markdown that is written as it is: an image, a formula, a footnote reference.
    void raw(std::string_view markdown);
    void space();
    // Forgets a space that has not been written yet.
    void drop_space() { space_ = false; }
    // No space before what comes next.
    void glue() { glued_ = true; }
    void line_break();

    // Nothing visible so far.
    bool empty() const { return text_.empty() && code_.empty(); }
    std::uint32_t pending_breaks() const { return empty() ? 0 : breaks_; }

    // Appends everything collected to `out`, and is ready for the next block. Open formats stay open.
    void finish(std::string& out);
    // Forgets everything collected.
    void discard();

    void set_break_style(BreakStyle style) { break_style_ = style; }
    void set_has_math(bool has_math) { has_math_ = has_math; }
    // How many bytes of link destinations may still be written: a page may repeat a long one without end.
    void set_link_budget(std::uint64_t bytes) { link_budget_ = bytes; }

private:
    struct Link {
        std::uint32_t destination = 0;  // offsets into link_text_
        std::uint32_t title = 0;
        std::uint32_t end = 0;
    };
    struct Open {
        Format format{};
        std::uint32_t link = 0;
        std::uint32_t mark = 0;  // of what is written: the index of its opening mark
    };

    void prepare();
    void close_down_to(std::size_t depth);
    std::size_t common_depth() const;
    void write_separator();
    void add_mark(const Open& open, bool opens, std::uint32_t partner);
    void mark_inner(const Open& open);
    void drop_repeated_marks();
    char byte_before() const;
    void put(std::string_view piece);
    std::size_t write_special(std::string_view text, std::size_t at);
    std::size_t code_blank(std::string_view text, std::size_t at);
    // Writes the code span that was begun, if there is one.
    void end_code() {
        if (code_ends_line_ || !code_.empty()) write_code();
    }
    void write_code();
    void append_with_marks(std::string& out);
    std::size_t append_link_mark(std::string& out, std::size_t index);
    bool is_autolink(const Mark& mark, std::size_t index) const;
    std::string_view destination(const Link& link) const;
    std::string_view title(const Link& link) const;

    std::string text_;       // escaped, without the marks
    std::string code_;       // a code span that has not ended yet
    std::string link_text_;  // destinations and titles
    std::vector<Link> links_;
    std::vector<Open> wanted_;   // what the page has open here
    std::vector<Open> written_;  // what text_ has open
    std::vector<Mark> marks_;
    std::uint64_t link_budget_ = UINT64_MAX;
    // The last code span in text_: two that touch have to become one.
    struct CodeSpan {
        std::uint32_t begin = 0;
        std::uint32_t end = 0;
        std::string content{};
    } code_span_;
    std::size_t bracket_end_ = 0;  // where an unescaped ] that ended a piece of text stands; 0 if none
    std::uint32_t breaks_ = 0;
    BreakStyle break_style_ = BreakStyle::hard;
    bool space_ = false;
    bool glued_ = false;
    bool has_inner_ = false;  // emphasis inside of emphasis
    bool code_ends_line_ = false;
    bool has_math_ = false;
};

}  // namespace quarry::extract::markdown
