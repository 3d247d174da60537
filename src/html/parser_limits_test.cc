// What the parser does with pages that are attacks: limits hold, and text stays.
#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include "html/parser.h"

using namespace quarry::html;

namespace {

std::string repeated(std::string_view text, std::size_t times) {
    std::string all;
    all.reserve(text.size() * times);
    for (std::size_t i = 0; i < times; ++i) all += text;
    return all;
}

std::uint32_t depth_of(const Tree& tree) {
    return std::ranges::max_element(tree.nodes(), {}, &Node::depth)->depth;
}

std::size_t count(const Tree& tree, Tag tag) {
    return static_cast<std::size_t>(std::ranges::count_if(
        tree.nodes(), [&](const Node& node) { return node.tag == tag && node.kind == NodeKind::element; }));
}

bool has_text(const Tree& tree, std::string_view text) {
    return tree.text_content(document_node).find(text) != std::string::npos;
}

}  // namespace

TEST_CASE(
    "a tree is never deeper than the limit, and what is too deep stays as text of the deepest element") {
    const Tree tree = parse("<p>before</p>" + repeated("<div>", 100'000) + "after");

    CHECK(depth_of(tree) <= 512);
    CHECK(tree.limits_hit().depth);
    CHECK(has_text(tree, "before"));
    CHECK(has_text(tree, "after"));
}

TEST_CASE("every way to nest elements ends at the limit") {
    for (const char* nested : {"<b><i><font>", "<ul><li>", "<table><tr><td>", "<template>", "<svg><g>",
                               "<svg><style>", "<svg><foreignObject>", "<math><mi>", "<form><div></form>",
                               "<a><p>", "<button><p>", "<object>", "<table><div>", "<select><optgroup>",
                               "<ruby><rt>", "<x-y>", "<frameset>", "<svg><frame><input>", "<math><col>"}) {
        const Tree tree = parse("<b>" + repeated(nested, 3'000));
        CHECK_MESSAGE(depth_of(tree) <= 512, nested);
        const Tree frames = parse(repeated(nested, 3'000));
        CHECK_MESSAGE(depth_of(frames) <= 512, nested);
    }
}

TEST_CASE("end tags of elements that were too deep close nothing else") {
    const Tree tree =
        parse("<main>" + repeated("<div>", 2'000) + repeated("</div>", 2'000) + "<p>after</main>");

    const auto after = std::ranges::find(tree.nodes(), "after", &Node::text);
    REQUIRE(after != tree.nodes().end());
    const Node& paragraph = tree[after->parent];
    CHECK(paragraph.tag == Tag::p);
    CHECK(tree[paragraph.parent].tag == Tag::main);
}

TEST_CASE("text around every kind of hostile part comes out") {
    for (const char* part : {"<div>",
                             "<b><i><font>",
                             "<p>",
                             "</i>",
                             "<table>",
                             "<table>x<tr>",
                             "<a href=x><b>",
                             "<",
                             "&",
                             "&lt;a",
                             "<template>",
                             "<svg><foreignObject>",
                             "<math><mi>",
                             "<select>",
                             "<option>",
                             "<ul><li>",
                             "<dd><p>",
                             "</p></br>",
                             "<button>",
                             "<nobr>",
                             "<frameset>",
                             "<!x>",
                             "<?x?>",
                             "<!--<-->",
                             "<svg><style>",
                             "<object></td>",
                             "<table><td><b>",
                             "<caption><b>",
                             "<form></form>",
                             "<marquee></b>",
                             "<html a><body>",
                             "<table><i>",
                             "<ruby><rt>",
                             "<h1>",
                             "<template><tr>",
                             "</",
                             "<br>",
                             "<svg><g></x>",
                             "<a><div></a>",
                             "<script></script>",
                             "<x-y z>",
                             "<head><title></title>"}) {
        const Tree tree = parse("<article><p>before</p>" + repeated(part, 4'000) + "<p>after</p>");
        CHECK_MESSAGE(has_text(tree, "before"), part);
        CHECK_MESSAGE(has_text(tree, "after"), part);
    }
}

TEST_CASE("templates that are closed stay inert, however deep") {
    const Tree tree = parse("<p>before</p>" + repeated("<template>", 1'000) + "inside" +
                            repeated("</template>", 1'000) + "after");

    CHECK(tree.limits_hit().depth);
    CHECK(!has_text(tree, "inside"));
    CHECK(has_text(tree, "after"));
}

TEST_CASE("a small limit of depth is kept to") {
    const Tree tree = parse(repeated("<div>", 100) + "x", {.limits = {.depth = 20}});

    CHECK(depth_of(tree) <= 20);
    CHECK(has_text(tree, "x"));
}

TEST_CASE("past the limit of nodes text joins what is there") {
    const std::string page = "<p>before</p>" + repeated("<p>x</p><!--c--><br></p></br>", 2'000) +
                             "<script>not text</script><p>after</p>";
    const Tree tree = parse(page, {.limits = {.nodes = 1'000}});

    CHECK(tree.size() <= 1'100);
    CHECK(tree.limits_hit().nodes);
    CHECK(has_text(tree, "before"));
    CHECK(has_text(tree, "after"));
    CHECK(!has_text(tree, "not text"));
}

TEST_CASE("text in a table is kept when the limit of nodes is met inside it") {
    for (std::uint32_t nodes = 8; nodes < 30; ++nodes) {
        const Tree tree =
            parse("<p>before<table>" + repeated(" <tr> ", 20) + "<p>after</p>", {.limits = {.nodes = nodes}});
        CHECK_MESSAGE(has_text(tree, "after"), nodes);
    }
}

TEST_CASE("attributes past the limit are left out") {
    std::string page = "<div";
    for (int i = 0; i < 1'000; ++i) page += " a" + std::to_string(i) + "=1";
    const Tree tree = parse(page + ">after");

    CHECK(tree.attributes(tree.body() + 1).size() == 512);
    CHECK(tree.limits_hit().attributes);
    CHECK(has_text(tree, "after"));
}

TEST_CASE("open formatting elements are not repeated without end") {
    std::string page = "<p>";
    for (int i = 0; i < 200; ++i) page += "<font color=c" + std::to_string(i) + ">";
    const Tree tree = parse(page + repeated("<p>x", 5'000) + "after");

    CHECK(count(tree, Tag::font) < 20'000);
    CHECK(count(tree, Tag::p) == 5'001);
    CHECK(has_text(tree, "after"));
}

TEST_CASE("pages longer than the limit are cut") {
    const Tree tree = parse("<p>abc\u20AC", {.limits = {.source_bytes = 7}});

    CHECK(tree.text_content(document_node) == "abc\uFFFD");
    CHECK(tree.limits_hit().bytes);
}

TEST_CASE("more names than fit are told apart no longer, but do no harm") {
    std::string page;
    for (int i = 0; i < 70'000; ++i) {
        const std::string number = std::to_string(i);
        page += "<x" + number + " y" + number + "=1></x" + number + ">";
    }
    const Tree tree = parse(page + "after");

    CHECK(tree.size() == 70'000 + 5);
    CHECK(tree.name(tree[tree.body() + 1].tag) == "x0");
    CHECK(tree.name(tree[tree.size() - 2].tag) == "unknown");
    CHECK(tree.limits_hit().attributes);
    CHECK(has_text(tree, "after"));
}

TEST_CASE("what no limit is needed for sets none") {
    const LimitsHit hit = parse("<p class=a>" + repeated("<b>x</b>", 1'000)).limits_hit();

    CHECK(!hit.depth);
    CHECK(!hit.nodes);
    CHECK(!hit.attributes);
    CHECK(!hit.bytes);
}
