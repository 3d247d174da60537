#include "extract/markdown/cases_test.h"

namespace quarry::extract {

TEST_CASE("tables have a header, a delimiter row and aligned columns") {
    check_markdown({
        {"<table><tr><th>A<th>B<tr><td>1<td>2</table>", "| A | B |\n| --- | --- |\n| 1 | 2 |"},
        {"<table><thead><tr><td>A<td>B</thead><tr><td>1<td>2</table>", "| A | B |\n| --- | --- |\n| 1 | 2 |"},
        {"<table><tr><th align=left>A<th style='text-align: center'>B<th "
         "align=RIGHT>C<tr><td>1<td>2<td>3</table>",
         "| A | B | C |\n| :--- | :---: | ---: |\n| 1 | 2 | 3 |"},
    });
}

TEST_CASE("a table without a header gets an empty one, unless its first row is bold") {
    check_markdown({
        {"<table><tr><td>1<td>2<tr><td>3<td>4</table>", "|  |  |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |"},
        {"<table><tr><td><b>A</b><td><b>B</b><tr><td>1<td>2</table>",
         "| **A** | **B** |\n| --- | --- |\n| 1 | 2 |"},
        {"<table><tr><td><th>A<tr><th>x<td>1</table>", "|  | A |\n| --- | --- |\n| x | 1 |"},
    });
}

TEST_CASE("cells that span columns or rows leave empty cells") {
    check_markdown({
        {"<table><tr><th colspan=2>A<th>B<tr><td>1<td>2<td>3</table>",
         "| A |  | B |\n| --- | --- | --- |\n| 1 | 2 | 3 |"},
        {"<table><tr><th rowspan=2>A<th>B<tr><td>1<tr><td>2<td>3</table>",
         "| A | B |\n| --- | --- |\n|  | 1 |\n| 2 | 3 |"},
        {"<table><tr><th>A<th>B<tr><td>1</table>", "| A | B |\n| --- | --- |\n| 1 |  |"},
    });
}

TEST_CASE("absurd spans stay in proportion") {
    std::string html = "<table><tr>";
    for (int i = 0; i < 100; ++i) html += "<th colspan=100000 rowspan=100000>x";
    for (int i = 0; i < 1000; ++i) html += "<tr><td>y";

    CHECK(markdown_of(html).size() < 16 * html.size());
}

TEST_CASE("a cell is one line") {
    check_markdown({
        {"<table><tr><th>A|B<th>C<tr><td><code>x|y</code><td>a<br>b</table>",
         "| A\\|B | C |\n| --- | --- |\n| `x\\|y` | a<br>b |"},
        {"<table><tr><th>A<th>B<tr><td><p>a</p><p>b</p><td><ul><li>c<li>d</ul></table>",
         "| A | B |\n| --- | --- |\n| a<br>b | - c<br>- d |"},
        {"<table><tr><th>A<th>B<tr><td><pre>a\nb</pre><td><h3>c</h3></table>",
         "| A | B |\n| --- | --- |\n| `a`<br>`b` | **c** |"},
        {"<table><tr><th>A<th>B<tr><td>a<td><table><tr><td>b<td>c<tr><td>d</table></table>",
         "| A | B |\n| --- | --- |\n| a | b c<br>d |"},
    });
}

TEST_CASE("tables that only lay out the page are unwrapped") {
    check_markdown({
        {"<table role=presentation><tr><td>a<td>b</table>", "a\n\nb"},
        {"<table><tr><td>a</table>", "a"},
        {"<table><tr><td><h2>a</h2>b<td>c</table>", "## a\n\nb\n\nc"},
        {"<table><tr><td>a<td><table><tr><th>H<tr><td>b</table></table>", "a\n\n| H |\n| --- |\n| b |"},
        {"<table><tr><td><td></table>", ""},
        {"<table><tr><th><input><th><select><option>a</select></table>", ""},
    });
}

TEST_CASE("captions stand above tables") {
    check_markdown({{"<table><caption>Cap</caption><tr><th>A<th>B<tr><td>1<td>2</table>",
                     "*Cap*\n\n| A | B |\n| --- | --- |\n| 1 | 2 |"}});
}

TEST_CASE("tables stand in lists and quotes") {
    check_markdown({
        {"<blockquote><table><tr><th>A<tr><td>1</table></blockquote>", "> | A |\n> | --- |\n> | 1 |"},
        {"<ul><li>a<table><tr><th>A<tr><td>1</table></ul>", "- a\n\n  | A |\n  | --- |\n  | 1 |"},
    });
}

}  // namespace quarry::extract
