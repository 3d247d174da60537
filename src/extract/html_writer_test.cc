#include "extract/html_writer.h"

#include <string>

#include <doctest/doctest.h>

#include "html/parser.h"

using namespace quarry;
using namespace quarry::extract;

namespace {

std::string clean(std::string html, bool keep_data_images = false) {
    const html::Tree tree = html::parse(std::move(html));
    const auto base = url::Url::parse("https://a.example/d/").value();
    return to_clean_html(tree, Selection(tree), {.base = &base, .keep_data_images = keep_data_images});
}

}  // namespace

TEST_CASE("clean HTML keeps structure and drops what acts, hides or styles") {
    struct Row {
        const char* html;
        const char* expected;
        const char* reason;
    };
    const Row rows[] = {
        {"<p class=x style=color:red onclick=f()>a", "<p>a</p>", "attributes"},
        {"<a href=x onclick=f() target=_blank title=t>a</a>",
         "<a href=\"https://a.example/d/x\" title=\"t\">a</a>", "links"},
        {"<a href='javascript:f()'>a</a>", "<a>a</a>", "a link that acts"},
        {"<a href='mailto:a@b.example'>a</a>", "<a href=\"mailto:a@b.example\">a</a>", "mail"},
        {"<img data-src=p.png alt='\"q\"' onerror=f()>",
         "<img src=\"https://a.example/d/p.png\" alt=\"&quot;q&quot;\">", "images"},
        {"<img src='data:image/png;base64,AA'>", "", "pictures in the page"},
        {"a<script>x</script><style>y</style><iframe src=z>w</iframe>b", "ab", "what acts"},
        {"<form><label>a <input><button>b</button></label><select><option>c</select></form>", "a b", "forms"},
        {"<font color=red><center>a</center></font>", "a", "old styling is replaced by what is in it"},
        {"1 &lt; 2 &amp;amp; &gt;", "1 &lt; 2 &amp;amp; &gt;", "escapes"},
        {"<pre><code class=language-c>\n\nint x;</code></pre>",
         "<pre><code class=\"language-c\">\n\nint x;</code></pre>", "code"},
        {"<pre>\n\nx</pre>", "<pre>\n\nx</pre>", "the newline after <pre>"},
        {"<xmp><b>x</b></xmp>", "<pre>&lt;b&gt;x&lt;/b&gt;</pre>", "raw text"},
        {"<table><tr><td colspan=2 align=right width=5>x</table>",
         "<table><tbody><tr><td colspan=\"2\" align=\"right\">x</td></tr></tbody></table>", "tables"},
        {"<ol start=3 type=a><li value=4>x</ol>", "<ol start=\"3\" type=\"a\"><li value=\"4\">x</li></ol>",
         "lists"},
        {"a<br>b<hr>c", "a<br>b<hr>c", "elements without end"},
        {"<math display=block><mi onclick=f()>x</mi><annotation>x</annotation></math>",
         "<math display=\"block\"><mi>x</mi></math>", "formulas"},
        {"<svg><text>x</text></svg>a", "a", "drawings"},
        {"<details open><summary>s</summary>d</details>",
         "<details open=\"\"><summary>s</summary>d</details>", "details"},
        {"<time datetime=2024-03-05>x</time>", "<time datetime=\"2024-03-05\">x</time>", "time"},
        {"<x-card>a</x-card>", "a", "unknown elements"},
        {"a&#13;b", "a&#13;b", "carriage return"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.html);
        CAPTURE(row.reason);
        CHECK(clean(row.html) == row.expected);
    }
}

TEST_CASE("pictures written into the page are kept when asked for") {
    CHECK(clean("<img src='data:image/png;base64,AA'>", true) == "<img src=\"data:image/png;base64,AA\">");
    CHECK(clean("<img src='data:text/html,x'>", true) == "");
}

TEST_CASE("only the selected part is written") {
    const html::Tree tree = html::parse("<nav>menu</nav><p>text</p>");
    Selection selection(tree);
    selection.drop(tree.first_child(tree.body()));

    CHECK(to_clean_html(tree, selection) == "<p>text</p>");
}

TEST_CASE("without a base relative links stay and schemes that act still go") {
    const html::Tree tree =
        html::parse("<a href=x/y>a</a><a href='java\tscript:f()'>b</a><a href='vbscript:f'>c</a>");

    CHECK(to_clean_html(tree, Selection(tree)) == "<a href=\"x/y\">a</a><a>b</a><a>c</a>");
}
