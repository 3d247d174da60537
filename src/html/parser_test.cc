// What the parser makes of pages, in a table of our own. The suite of web-platform-tests is in
// tree_construction_test.cc.
#include "html/parser.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "html/tree_inspection.h"

using namespace quarry::html;
using namespace std::string_literals;

namespace {

// The children of the body in the notation of tree_dump.h.
std::string body_of(std::string page) {
    const Tree tree = parse(std::move(page));
    return dump(tree, tree.body());
}

struct Row {
    const char* page;
    const char* body;
    const char* why;
};

}  // namespace

TEST_CASE("a page gets a head and a body even if it has neither") {
    const Tree tree = parse("x");

    CHECK(dump(tree, document_node) == "| <html>\n|   <head>\n|   <body>\n|     \"x\"\n");
    CHECK(tree.is(tree.html(), Tag::html));
    CHECK(tree.is(tree.head(), Tag::head));
    CHECK(tree.is(tree.body(), Tag::body));
    CHECK(tree.quirks() == Quirks::full);
}

TEST_CASE("the doctype decides about quirks") {
    CHECK(parse("<!doctype html>").quirks() == Quirks::none);
    CHECK(parse("<!doctype html public '-//W3C//DTD XHTML 1.0 Transitional//EN' 'x'>").quirks() ==
          Quirks::limited);
    CHECK(parse("<!doctype html public '-//IETF//DTD HTML//EN'>").quirks() == Quirks::full);
    CHECK(parse("<!doctype html public 'a' 'b'>").public_id() == "a");
    CHECK(parse("<!doctype html public 'a' 'b'>").system_id() == "b");
}

TEST_CASE("what belongs in the head goes there") {
    const Tree tree = parse("<title>a&amp;b</title><meta charset=x><p>c");

    CHECK(dump(tree, tree.head()) == "| <title>\n|   \"a&b\"\n| <meta>\n|   charset=\"x\"\n");
    CHECK(dump(tree, tree.body()) == "| <p>\n|   \"c\"\n");
}

TEST_CASE("elements end where the standard says they end") {
    const std::vector<Row> rows = {
        {"<p>a<p>b", "| <p>\n|   \"a\"\n| <p>\n|   \"b\"\n", "a paragraph ends a paragraph"},
        {"<p>a<div>b", "| <p>\n|   \"a\"\n| <div>\n|   \"b\"\n", "a block ends a paragraph"},
        {"<ul><li>a<li>b", "| <ul>\n|   <li>\n|     \"a\"\n|   <li>\n|     \"b\"\n", "items end each other"},
        {"<dl><dt>a<dd>b", "| <dl>\n|   <dt>\n|     \"a\"\n|   <dd>\n|     \"b\"\n", "so do terms"},
        {"<h1>a<h2>b", "| <h1>\n|   \"a\"\n| <h2>\n|   \"b\"\n", "headings do not nest"},
        {"<br>a</br>b", "| <br>\n| \"a\"\n| <br>\n| \"b\"\n", "an end tag that is a start tag"},
        {"a</p>b", "| \"a\"\n| <p>\n| \"b\"\n", "an end tag that makes its element"},
        {"<div>a</span>b", "| <div>\n|   \"ab\"\n", "an end tag of nothing; text is joined"},
        {"<pre>\n\na", "| <pre>\n|   \"\na\"\n", "the first line feed of a pre is not part of it"},
        {"<select><option>a<option>b</select>c",
         "| <select>\n|   <option>\n|     \"a\"\n|   <option>\n|     \"b\"\n| \"c\"\n",
         "options end each other"},
        {"<button>a<button>b", "| <button>\n|   \"a\"\n| <button>\n|   \"b\"\n", "buttons do not nest"},
    };
    for (const Row& row : rows) CHECK_MESSAGE(body_of(row.page) == row.body, row.why);
}

TEST_CASE("misnested formatting is repeated where it reaches") {
    const std::vector<Row> rows = {
        {"<b>1<i>2</b>3</i>", "| <b>\n|   \"1\"\n|   <i>\n|     \"2\"\n| <i>\n|   \"3\"\n", "crossed"},
        {"<b>1<p>2</b>3", "| <b>\n|   \"1\"\n| <p>\n|   <b>\n|     \"2\"\n|   \"3\"\n", "around a block"},
        {"<p><b>1<p>2", "| <p>\n|   <b>\n|     \"1\"\n| <p>\n|   <b>\n|     \"2\"\n", "never closed"},
        {"<a>1<a>2", "| <a>\n|   \"1\"\n| <a>\n|   \"2\"\n", "links do not nest"},
    };
    for (const Row& row : rows) CHECK_MESSAGE(body_of(row.page) == row.body, row.why);
}

TEST_CASE("tables get their parts, and what does not belong goes before them") {
    const std::vector<Row> rows = {
        {"<table><td>a", "| <table>\n|   <tbody>\n|     <tr>\n|       <td>\n|         \"a\"\n",
         "parts are added"},
        {"<table>a<tr>b", "| \"ab\"\n| <table>\n|   <tbody>\n|     <tr>\n", "text goes before"},
        {"<table><div>a</div><tr>", "| <div>\n|   \"a\"\n| <table>\n|   <tbody>\n|     <tr>\n",
         "so do elements"},
        {"<table> <tr>", "| <table>\n|   \" \"\n|   <tbody>\n|     <tr>\n", "white space may stay"},
        {"<table><td><table><td>a</table>b",
         "| <table>\n|   <tbody>\n|     <tr>\n|       <td>\n|         <table>\n|           <tbody>\n|        "
         "     <tr>\n"
         "|               <td>\n|                 \"a\"\n|         \"b\"\n",
         "tables nest in cells"},
    };
    for (const Row& row : rows) CHECK_MESSAGE(body_of(row.page) == row.body, row.why);
}

TEST_CASE("svg and math have their own names") {
    const std::vector<Row> rows = {
        {"<svg viewbox=1><foreignobject><p>a",
         "| <svg svg>\n|   viewBox=\"1\"\n|   <svg foreignObject>\n|     <p>\n"
         "|       \"a\"\n",
         "spelling is put right"},
        {"<svg><a xlink:href=b />", "| <svg svg>\n|   <svg a>\n|     xlink href=\"b\"\n", "namespaces"},
        {"<math><mi>x<b>y", "| <math math>\n|   <math mi>\n|     \"x\"\n|     <b>\n|       \"y\"\n",
         "HTML in math"},
        {"<svg><p>a", "| <svg svg>\n| <p>\n|   \"a\"\n", "HTML that ends the picture"},
        {"<svg><![CDATA[a<b]]>", "| <svg svg>\n|   \"a<b\"\n", "sections of text"},
    };
    for (const Row& row : rows) CHECK_MESSAGE(body_of(row.page) == row.body, row.why);
}

TEST_CASE("a template's contents stand apart") {
    const Tree tree = parse("<body><template><td>a</template>b");

    CHECK(dump(tree, tree.body()) == "| <template>\n|   content\n|     <td>\n|       \"a\"\n| \"b\"\n");
    CHECK(tree.text_content(document_node) == "b");
}

TEST_CASE("noscript holds elements unless scripts run") {
    const Tree off = parse("<body><noscript><p>a</noscript>");
    const Tree on = parse("<body><noscript><p>a</noscript>", {.scripting = Scripting::on});

    CHECK(dump(off, off.body()) == "| <noscript>\n|   <p>\n|     \"a\"\n");
    CHECK(dump(on, on.body()) == "| <noscript>\n|   \"<p>a\"\n");
}

TEST_CASE("bytes that are not UTF-8, NUL and line ends are put right") {
    CHECK(body_of("a\xFF"
                  "b") == "| \"a\uFFFDb\"\n");
    CHECK(body_of("\xE2\x82"
                  "b\xC0\xAF\xED\xA0\x80") == "| \"\uFFFDb\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\"\n");
    CHECK(body_of("\xF0\x9F\x98\x80") == "| \"\xF0\x9F\x98\x80\"\n");
    CHECK(body_of("a\r\nb\rc\r\r\n") == "| \"a\nb\nc\n\n\"\n");
    CHECK(body_of("a\0b<svg>\0"s) == "| \"ab\"\n| <svg svg>\n|   \"\uFFFD\"\n");
    CHECK(body_of("") == "");
}

TEST_CASE("text in pieces becomes one node") {
    const Tree tree = parse("<body>a&amp;b&lt;" + std::string(5000, 'x') + "&gt;<!-- -->y");

    REQUIRE(tree.is_text(tree.body() + 1));
    CHECK(tree[tree.body() + 1].text == "a&b<" + std::string(5000, 'x') + ">");
    CHECK(tree[tree.body() + 3].text == "y");
}

TEST_CASE("a fragment is read as the contents of its context") {
    const auto fragment = [](std::string source, FragmentContext context) {
        const Tree tree = parse_fragment(std::move(source), context);
        return dump(tree, tree.html());
    };

    CHECK(fragment("<td>a", {.tag = "tr"}) == "| <td>\n|   \"a\"\n");
    CHECK(fragment("<td>a", {.tag = "div"}) == "| \"a\"\n");
    CHECK(fragment("a</title>", {.tag = "title"}) == "| \"a</title>\"\n");
    CHECK(fragment("<circle/>", {.tag = "svg", .space = Namespace::svg}) == "| <svg circle>\n");
}
