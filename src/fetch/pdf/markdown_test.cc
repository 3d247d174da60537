#include "fetch/pdf/markdown.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "fetch/pdf/lines.h"

using namespace quarry::fetch;

namespace {

// Lines of a column 400 points wide, 12 points apart, in letters of 10 points.
class Column {
public:
    Column& line(std::string text, double right = 450) {
        return add({.text = std::move(text), .right = right});
    }
    Column& indented(std::string text) { return add({.text = std::move(text), .left = 70, .right = 450}); }
    Column& code(std::string text, double left = 50) {
        return add({.text = std::move(text), .left = left, .right = 300, .monospace = true});
    }
    Column& bold(std::string text) { return add({.text = std::move(text), .right = 200, .bold = true}); }
    Column& sized(std::string text, double size) {
        return add({.text = std::move(text), .right = 300, .font_size = size});
    }
    Column& space() {
        bottom_ += 10;
        return *this;
    }
    PdfPage page() const { return page_; }

private:
    Column& add(PdfLine line) {
        if (line.left == 0) line.left = 50;
        if (line.font_size == 0) line.font_size = 10;
        bottom_ += 12;
        line.bottom = bottom_;
        line.top = bottom_ - line.font_size;
        page_.push_back(std::move(line));
        return *this;
    }
    double bottom_ = 100;
    PdfPage page_;
};

std::string markdown(const Column& column) {
    return write_pdf_markdown(std::vector<PdfPage>{column.page()}).text;
}

PdfWord word(std::string text, double left, double top) {
    return {.text = std::move(text),
            .left = left,
            .top = top,
            .right = left + 30,
            .bottom = top + 10,
            .font_size = 10};
}

PdfLine at_height(std::string text, double top) {
    return {
        .text = std::move(text), .left = 50, .top = top, .right = 450, .bottom = top + 10, .font_size = 10};
}

}  // namespace

TEST_CASE("words on one height are one line, with spaces where there are gaps") {
    std::vector<PdfWord> words = {word("one", 50, 100), word("two", 84, 100), word("x", 114, 97),
                                  word("next", 50, 112)};

    const PdfPage page = join_words(words);

    REQUIRE(page.size() == 2);
    CHECK(page[0].text == "one twox");
    CHECK(page[1].text == "next");
}

TEST_CASE("lines of a paragraph are joined, and broken words made whole") {
    CHECK(markdown(Column()
                       .line("The quick brown fox jumps over the lazy")
                       .line("dog, which is extraor-")
                       .line("dinary for a well-")
                       .line("Known fox.")) ==
          "The quick brown fox jumps over the lazy dog, which is extraordinary for a well- Known fox.\n");
}

TEST_CASE("space, indentation and a short last line begin a new paragraph") {
    CHECK(markdown(Column().line("One line and").line("another.").space().line("Two")) ==
          "One line and another.\n\nTwo\n");
    CHECK(markdown(Column().line("One line and").line("another").indented("Two lines").line("here")) ==
          "One line and another\n\nTwo lines here\n");
    CHECK(markdown(Column().line("One line and").line("its end.", 150).line("Two")) ==
          "One line and its end.\n\nTwo\n");
}

TEST_CASE("a sentence goes on across pages, a new one does not") {
    const auto pages = [](std::string first, std::string second) {
        return write_pdf_markdown(std::vector<PdfPage>{Column().line(std::move(first)).page(),
                                                       Column().line(std::move(second)).page()})
            .text;
    };

    CHECK(pages("The fox jumps", "over the dog.") == "The fox jumps over the dog.\n");
    CHECK(pages("The fox jumps.", "over the dog.") == "The fox jumps.\n\nover the dog.\n");
    CHECK(pages("The fox jumps", "Over the dog.") == "The fox jumps\n\nOver the dog.\n");
}

TEST_CASE("larger letters and short bold lines are headings") {
    const Column column = Column()
                              .sized("Title", 20)
                              .sized("Section", 14)
                              .line("Text that is long enough to be the body of this page.")
                              .space()
                              .bold("Subsection")
                              .line("More text of the body.");

    CHECK(
        markdown(column) ==
        "# Title\n\n## Section\n\nText that is long enough to be the body of this page.\n\n### Subsection\n\n"
        "More text of the body.\n");
    CHECK(write_pdf_markdown(std::vector<PdfPage>{column.page()}).first_heading == "Title");
}

TEST_CASE("bullets are list items, typewriter letters are code") {
    CHECK(markdown(Column().line("• one").line("• two that goes").indented("on").line("– three")) ==
          "- one\n- two that goes on\n- three\n");
    CHECK(markdown(Column().line("Text and text.").space().code("if (a) {").code("b();", 74).code("}")) ==
          "Text and text.\n\n```\nif (a) {\n    b();\n}\n```\n");
}

TEST_CASE("what markdown would misread is escaped, and nothing else") {
    const struct {
        std::string text, expected;
    } cases[] = {
        {"# not a heading", "\\# not a heading\n"},
        {"> quoted", "\\> quoted\n"},
        {"a * b [1] < c", "a * b [1] < c\n"},
        {"*bold* `code` <b>", "\\*bold\\* \\`code\\` \\<b>\n"},
        {"[a](b)", "\\[a](b)\n"},
        {"1984. A year", "1984\\. A year\n"},
        {"12. An item", "12. An item\n"},
        {"#hash", "#hash\n"},
    };
    for (const auto& [text, expected] : cases) {
        CAPTURE(text);
        CHECK(markdown(Column().line(text)) == expected);
    }
}

TEST_CASE("headers, footers and page numbers that run through the pages are dropped") {
    std::vector<PdfPage> pages;
    for (int i = 0; i < 5; ++i) {
        const std::string number = std::to_string(i + 7);
        pages.push_back({at_height("The Manual", 30),
                         at_height((i < 2 ? "First chapter " : "Second chapter ") + number, 45),
                         at_height("5 apples on page " + std::to_string(i * i), 100 + 20 * i),
                         at_height("Text " + number, 400 + 20 * i),
                         at_height("Page " + number + " of 12", 700)});
    }

    drop_running_lines(pages);

    for (const PdfPage& page : pages) {
        REQUIRE(page.size() == 2);
        CHECK(page[0].text.starts_with("5 apples"));
        CHECK(page[1].text.starts_with("Text"));
    }
}

TEST_CASE("nothing is dropped from a document of two pages") {
    std::vector<PdfPage> pages(2, PdfPage{at_height("Same", 30), at_height("1", 700)});

    drop_running_lines(pages);

    CHECK(pages[0].size() == 2);
}
