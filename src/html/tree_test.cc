// The functions of Tree, and its promises on pages made at random.
#include "html/tree.h"

#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "html/parser.h"
#include "html/tree_inspection.h"

using namespace quarry::html;

namespace {

// <html>1 <head>2 <body>3 <ul>4 <li>5 "a"6 <li>7 "b"8 <p>9
Tree small_tree() {
    return parse("<body><ul id=list class=' one  two\n'><li>a<li data-x=1>b</ul><p>");
}

// Pages made of pieces that are known to be trouble, in any order.
std::string random_page(std::mt19937& random) {
    static const std::vector<std::string> pieces = {"<div>",
                                                    "</div>",
                                                    "<p>",
                                                    "</p>",
                                                    "<b>",
                                                    "</b>",
                                                    "<i>",
                                                    "</i>",
                                                    "<a href=x>",
                                                    "</a>",
                                                    "<table>",
                                                    "</table>",
                                                    "<tr>",
                                                    "<td>",
                                                    "</td>",
                                                    "</tr>",
                                                    "<caption>",
                                                    "<colgroup>",
                                                    "<col>",
                                                    "<tbody>",
                                                    "<template>",
                                                    "</template>",
                                                    "<select>",
                                                    "</select>",
                                                    "<option>",
                                                    "<optgroup>",
                                                    "<svg>",
                                                    "</svg>",
                                                    "<math>",
                                                    "<mi>",
                                                    "<foreignObject>",
                                                    "<desc>",
                                                    "<ul>",
                                                    "<li>",
                                                    "</ul>",
                                                    "<dl>",
                                                    "<dd>",
                                                    "<dt>",
                                                    "<form>",
                                                    "</form>",
                                                    "<button>",
                                                    "</button>",
                                                    "<font color=red>",
                                                    "</font>",
                                                    "<nobr>",
                                                    "</nobr>",
                                                    "<object>",
                                                    "</object>",
                                                    "<h1>",
                                                    "</h2>",
                                                    "<pre>\n",
                                                    "<textarea>",
                                                    "</textarea>",
                                                    "<title>",
                                                    "</title>",
                                                    "<script>",
                                                    "</script>",
                                                    "<style>",
                                                    "</style>",
                                                    "<!-- c -->",
                                                    "<![CDATA[x]]>",
                                                    "<?pi x?>",
                                                    "<!doctype html>",
                                                    "<html a=b>",
                                                    "<body c=d>",
                                                    "<head>",
                                                    "</head>",
                                                    "</body>",
                                                    "</html>",
                                                    "<frameset>",
                                                    "</frameset>",
                                                    "<frame>",
                                                    "<noscript>",
                                                    "</noscript>",
                                                    "<br>",
                                                    "</br>",
                                                    "<hr>",
                                                    "<input>",
                                                    "<input type=hidden>",
                                                    "<image>",
                                                    "<ruby>",
                                                    "<rt>",
                                                    "<rtc>",
                                                    "text",
                                                    " ",
                                                    "&amp;",
                                                    "&#0;",
                                                    "\xFF",
                                                    "\r\n",
                                                    "<x-y z=1>",
                                                    "</x-y>",
                                                    "<plaintext>",
                                                    "<",
                                                    "</",
                                                    "<a b='",
                                                    "'>",
                                                    "\"",
                                                    "<annotation-xml "
                                                    "encoding=text/html>",
                                                    "<marquee>",
                                                    "</marquee>",
                                                    "<th>",
                                                    "<tfoot>",
                                                    "<iframe>",
                                                    "</iframe>"};
    std::uniform_int_distribution<std::size_t> pick(0, pieces.size() - 1), length(1, 60);
    std::string page;
    for (std::size_t i = length(random); i > 0; --i) page += pieces[pick(random)];
    return page;
}

}  // namespace

TEST_CASE("a tree knows which tags and attributes it need not be searched for") {
    const Tree tree = parse("<body><ul id=list><li>a</ul><svg><title>t</title></svg><x-y data-z=1>");

    CHECK(tree.may_have(Tag::ul));
    CHECK(tree.may_have(Tag::title));
    CHECK(tree.may_have(Tag::head));  // not written, but there
    CHECK_FALSE(tree.may_have(Tag::nav));
    CHECK(tree.may_have(Attr::id));
    CHECK_FALSE(tree.may_have(Attr::href));
    CHECK_FALSE(Tree().may_have(Tag::html));
}

TEST_CASE("nodes are numbered in document order") {
    const Tree tree = small_tree();

    REQUIRE(tree.size() == 10);
    CHECK(tree.html() == 1);
    CHECK(tree.body() == 3);
    CHECK(tree[4].end == 9);
    CHECK(tree[4].depth == 3);
    CHECK(tree[8].text == "b");
    CHECK(tree[8].parent == 7);
}

TEST_CASE("children and siblings are found by counting") {
    const Tree tree = small_tree();

    CHECK(tree.first_child(4) == 5);
    CHECK(tree.first_child(9) == no_node);
    CHECK(tree.next_sibling(5) == 7);
    CHECK(tree.next_sibling(7) == no_node);
    CHECK(tree.next_sibling(4) == 9);
    CHECK(tree.next_sibling(document_node) == no_node);
    CHECK(tree.contains(4, 8));
    CHECK(tree.contains(4, 4));
    CHECK(!tree.contains(4, 9));
    CHECK(!tree.contains(5, 4));
}

TEST_CASE("attributes are found by name") {
    const Tree tree = small_tree();

    CHECK(tree.attribute(4, Attr::id) == "list");
    CHECK(tree.attribute(4, Attr::href) == std::nullopt);
    CHECK(tree.attribute_or_empty(4, Attr::href).empty());
    CHECK(tree.attribute(6, Attr::id) == std::nullopt);
    const auto data_x = tree.find_attribute_name("data-x");
    REQUIRE(data_x);
    CHECK(tree.attribute(7, *data_x) == "1");
    CHECK(tree.name(*data_x) == "data-x");
    CHECK(!tree.find_attribute_name("data-y"));
}

TEST_CASE("classes are whole words") {
    const Tree tree = small_tree();

    CHECK(tree.has_class(4, "one"));
    CHECK(tree.has_class(4, "two"));
    CHECK(!tree.has_class(4, "on"));
    CHECK(!tree.has_class(4, "One"));
    CHECK(!tree.has_class(4, "wo"));
    CHECK(!tree.has_class(4, ""));
    CHECK(!tree.has_class(5, "one"));
}

TEST_CASE("names have numbers, and numbers names") {
    const Tree tree = parse("<my-tag><blockquote>");

    CHECK(tree.find_tag("blockquote") == Tag::blockquote);
    CHECK(tree.find_tag("template") == Tag::template_);
    const auto own = tree.find_tag("my-tag");
    REQUIRE(own);
    CHECK(tree.name(*own) == "my-tag");
    CHECK(tree.name(Tag::annotation_xml) == "annotation-xml");
    CHECK(tree.name(Attr::http_equiv) == "http-equiv");
    CHECK(!tree.find_tag("your-tag"));
    for (std::size_t i = 0; i < listed_tags; ++i) {
        const auto tag = static_cast<Tag>(i);
        CHECK(find_listed_tag(spelling(tag)) == tag);
    }
    for (std::size_t i = 0; i < listed_attributes; ++i) {
        const auto name = static_cast<Attr>(i);
        CHECK(find_listed_attribute(spelling(name)) == name);
    }
}

TEST_CASE("text content is all the text below") {
    const Tree tree = small_tree();

    CHECK(tree.text_content(4) == "ab");
    CHECK(tree.text_content(5) == "a");
    CHECK(tree.text_content(6) == "a");
    CHECK(tree.text_content(9).empty());
}

TEST_CASE("a tree that is moved keeps its text") {
    Tree first = parse("<p>some text that is long enough to live on the heap</p>&amp;");
    const Tree second = std::move(first);

    CHECK(second.text_content(document_node) == "some text that is long enough to live on the heap&");
}

TEST_CASE("every tree keeps its promises") {
    std::mt19937 random(20'240'501);
    for (int round = 0; round < 20'000; ++round) {
        const std::string page = random_page(random);
        const Tree tree = parse(page);
        const std::string fault = find_fault(tree);
        REQUIRE_MESSAGE(fault.empty(), fault << " in " << page);
        const Tree fragment = parse_fragment(page, {.tag = "td"}, {.limits = {.depth = 16, .nodes = 50}});
        const std::string small_fault = find_fault(fragment);
        REQUIRE_MESSAGE(small_fault.empty(), small_fault << " in " << page);
    }
}
