#include "extract/plain_text.h"

#include <string>

#include <doctest/doctest.h>

#include "html/parser.h"

using namespace quarry;
using namespace quarry::extract;

namespace {

std::string text_of(std::string html) {
    const html::Tree tree = html::parse(std::move(html));
    return to_plain_text(tree, Selection(tree));
}

}  // namespace

TEST_CASE("plain text keeps the structure a reader sees") {
    struct Row {
        const char* html;
        const char* expected;
        const char* reason;
    };
    const Row rows[] = {
        {"<p>One  <b>bold</b>\nword<p>Two", "One bold word\n\nTwo\n", "paragraphs"},
        {"<h1>T</h1><p>x", "T\n\nx\n", "heading"},
        {"a<br>b", "a\nb\n", "line break"},
        {"<div>a</div><div>b</div>", "a\nb\n", "lines"},
        {"<ul><li>a<li>b<ul><li>c</ul></ul>d", "- a\n- b\n  - c\n\nd\n", "lists"},
        {"<ol start=3><li>a<li><p>b</p><p>c</p></ol>", "3. a\n4. b\n\n  c\n", "numbers, paragraphs in items"},
        {"<ul><li></li><li>a</ul>", "- a\n", "empty items"},
        {"<table><tr><th>h<th>i<tr><td>1<td>2<br>3</table>", "h\ti\n1\t2 3\n", "rows and cells"},
        {"<table><tr><td><h1>T</h1><td>x</table>", "T\n\nx\n", "a table for layout"},
        {"<table><tr><td>a<td><table><tr><td>b<td>c</table></table>", "a\n\nb\tc\n", "a table in a layout"},
        {"<p>x<pre>\n  a\n\n    b\n</pre>y", "x\n\n  a\n\n    b\n\ny\n", "code as it stands"},
        {"a<script>no</script><style>no</style><!-- no -->b", "ab\n", "what is no text"},
        {"<select><option>no</select><input value=no>x", "x\n", "controls"},
        {"<dl><dt>t<dd>d</dl>", "t\n  d\n", "definitions"},
        {"x<sup>2</sup>, <q>q</q>", "x2, q\n", "inline"},
        {"<math><mi>x</mi><annotation>x</annotation></math>", "x\n", "formulas once"},
        {"   ", "", "nothing"},
        {"", "", "nothing at all"},
        {"<title>t</title>b", "b\n", "the head is not content"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.html);
        CAPTURE(row.reason);
        CHECK(text_of(row.html) == row.expected);
    }
}

TEST_CASE("only the selected part is written") {
    const html::Tree tree = html::parse("<nav>menu</nav><p>text</p>");
    Selection selection(tree);
    selection.drop(tree.first_child(tree.body()));

    CHECK(to_plain_text(tree, selection) == "text\n");
}

TEST_CASE("lists in lists are not written mostly as blanks") {
    std::string html;
    for (int i = 0; i < 400; ++i) html += "<ul><li>";
    for (int i = 0; i < 1'000; ++i) html += "<li>x";

    CHECK(text_of(html).size() < 60'000);
}
