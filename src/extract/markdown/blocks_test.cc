#include "extract/markdown/cases_test.h"
#include "extract/markdown/heading_anchor.h"

namespace quarry::extract {

TEST_CASE("headings have one line and the page's level") {
    check_markdown({
        {"<h1>a</h1><h6>b</h6>", "# a\n\n###### b"},
        {"<h2>\n a\n b </h2>", "## a b"},
        {"<h2></h2><h3> <br> </h3>", ""},
        {"<h2>C #</h2><h2>#</h2><h2>C#</h2>", "## C \\#\n\n## \\#\n\n## C#"},
        {"<div role=heading aria-level=3>a</div>", "### a"},
        {"<h2><div>a</div><div>b</div></h2>", "## a b"},
        {"<h2>Title<p>Text</p></h2>", "## Title\n\nText"},
    });
}

TEST_CASE("a heading's link to itself is left out") {
    check_markdown({
        {"<h2 id=x>T<a class=headerlink href='#x' title='Link to this heading'>¶</a></h2>", "## T"},
        {"<h2 id=x><a href='#x' aria-hidden=true class=anchor><svg></svg></a>T</h2>", "## T"},
        {"<h2 id=x>T <a href='#x' class=hash-link aria-label='Direct link to T'>\u200B</a></h2>", "## T"},
        {"<h2 id=x><a href='#x'>T</a></h2>", "## T"},
        {"<a href='#x'><h2 id=x>T</h2></a>", "## T"},
        {"<h2><a href=other>T</a></h2>", "## [T](other)"},
        {"<h2><a href=/><img src=logo.png alt=L></a></h2>", "## [![L](logo.png)](/)"},
    });
}

TEST_CASE("is_heading_anchor tells signs from headings") {
    const html::Tree tree = html::parse("<h2><a href=#a>#</a><a href=#b class=permalink>Name</a></h2>");

    for (html::NodeId id = 0; id < tree.size(); ++id) {
        if (!tree.is(id, html::Tag::a)) continue;
        CHECK(is_heading_anchor(tree, id) == (tree.attribute_or_empty(id, html::Attr::href) == "#a"));
    }
}

TEST_CASE("lists nest, number and stay apart") {
    check_markdown({
        {"<ul><li>a<li>b</ul>", "- a\n- b"},
        {"<ol start=9><li>a<li>b</ol>", "9. a\n10. b"},
        {"<ol start=-1><li>a</ol><p>x</p><ol start=x><li>b</ol>", "1. a\n\nx\n\n1. b"},
        {"<ol><li>a<li value=7>b<li>c</ol>", "1. a\n7. b\n8. c"},
        {"<ul><li>a<ul><li>b<ol><li>c</ol></ul><li>d</ul>", "- a\n  - b\n    1. c\n- d"},
        {"<ol><li>a<ul><li>b</ul></ol>", "1. a\n   - b"},
        {"<ul><li><ul><li>a</ul></ul>", "- - a"},
        {"<ul><li>a</ul><ul><li>b</ul><ul><li>c</ul>", "- a\n\n* b\n\n- c"},
        {"<ol><li>a</ol><ol><li>b</ol>", "1. a\n\n1) b"},
        {"<menu><li>a</menu>", "- a"},
    });
}

TEST_CASE("lists are loose where their items hold paragraphs") {
    check_markdown({
        {"<ul><li><p>a</p><li>b</ul>", "- a\n\n- b"},
        {"<ul class=simple><li><p>a</p><li><p>b</p></ul>", "- a\n- b"},
        {"<ol><li><p>a</p><p>b</p></ol>", "1. a\n\n   b"},
        {"<ul><li>a<pre>x\n\ny</pre></ul>", "- a\n  ```\n  x\n\n  y\n  ```"},
        {"<ul><li>a<blockquote>b</blockquote></ul>", "- a\n\n  > b"},
    });
}

TEST_CASE("broken lists keep their content") {
    check_markdown({
        {"<ul><li>a</li><ul><li>b</ul><li>c</ul>", "- a\n  - b\n- c"},
        {"<ul><div><li>a</li></div><li>b</ul>", "- a\n- b"},
        {"<ul>text<li>a</ul>", "- text\n- a"},
        {"<li>a</li><li>b</li>", "- a\n- b"},
        {"<ul><li></li><li>a</ul>", "-\n- a"},
        {"<ul><li><a href=u><svg></svg></a></li><li>a</ul>", "- a"},
        {"<ul><li></li>text<li>a</ul>", "- text\n- a"},
        {"<ul><li>a<ul><li></li></ul></ul>", "- a\n\n  -"},
    });
}

TEST_CASE("boxes at the beginning of items are tasks") {
    check_markdown({
        {"<ul><li><input type=checkbox checked> a<li><input type=checkbox disabled> b</ul>",
         "- [x] a\n- [ ] b"},
        {"<ul><li><label><input type=checkbox> a</label></ul>", "- [ ] a"},
        {"<ul><li><input type=text> a</ul><p><input type=checkbox> b</p>", "- a\n\nb"},
        {"<ul><li><input type=checkbox id=menu><label for=menu>Menu</label></ul>", "- Menu"},
    });
}

TEST_CASE("quotes, rules and paragraphs are separated") {
    check_markdown({
        {"<blockquote>a<p>b</p><blockquote>c</blockquote></blockquote>d", "> a\n>\n> b\n>\n> > c\n\nd"},
        {"<blockquote>a</blockquote><blockquote>b</blockquote>", "> a\n\n> b"},
        {"<p>a</p><hr><p>b</p>", "a\n\n---\n\nb"},
        {"<ul><li><hr></ul>", "- ***"},
        {"<div>a<div>b</div>c</div>", "a\n\nb\n\nc"},
        {"", ""},
        {"<p> </p><div></div>", ""},
    });
}

TEST_CASE("definitions stand below their terms") {
    check_markdown({
        {"<dl><dt>a<dd>b<dd>c<dt>d<dt>e<dd>f</dl>", "a\n:   b\n:   c\n\nd\ne\n:   f"},
        {"<dl><dt>a<dd><p>b</p><p>c</p></dl>", "a\n:   b\n\nc"},
        {"<dl><dt>a<dd><ul><li>b</ul></dl>", "a\n\n- b"},
        {"<dl><dt class='sig py'>f(<em>x</em>)<a class=headerlink>¶</a><dd><p>Does.</p></dl>",
         "`f(x)`\n\nDoes."},
    });
}

TEST_CASE("what a page only needs for forms is left out") {
    check_markdown({
        {"<form><label>Name</label><input value=x><select><option>a</select><button>Send</button></form>",
         "Name Send"},
        {"<fieldset><legend>Who</legend>a</fieldset>", "**Who**\n\na"},
        {"<p>a<button>b</button><button>c</button></p>", "a b c"},
    });
}

TEST_CASE("nesting beyond reading is written flat, and all of its text comes out") {
    std::string html;
    for (int i = 0; i < 200; ++i) html += "<ul><li>x" + std::to_string(i);
    html += "<blockquote>last";

    const std::string markdown = markdown_of(html);

    CHECK(markdown.find("x199") != std::string::npos);
    CHECK(markdown.find("last") != std::string::npos);
    CHECK(markdown.size() < 40 * html.size());
}

}  // namespace quarry::extract
