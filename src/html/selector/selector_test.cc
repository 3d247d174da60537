#include "html/selector/selector.h"

#include <string>

#include <doctest/doctest.h>

#include "html/parser.h"

using namespace quarry;
using namespace quarry::html;

namespace {

// The ids of what a selector finds, joined by spaces; elements without one by their tag name.
std::string found(const Tree& tree, std::string_view selector) {
    const auto selectors = parse_selectors(selector);
    if (!selectors) return "error: " + selectors.error().message;
    std::string names;
    for (const NodeId id : select(tree, *selectors)) {
        const std::string_view own = tree.attribute_or_empty(id, Attr::id);
        if (!names.empty()) names += ' ';
        names += own.empty() ? tree.name(tree[id].tag) : own;
    }
    return names;
}

constexpr std::string_view page = R"(<!doctype html>
<html lang="en-GB"><head><title>t</title></head><body>
<div id="main" class="content wide"><h1 id="h">Title</h1>
<p id="p1" class="lead">one <a id="a1" href="/x" rel="nofollow noopener">x</a></p>
<p id="p2" data-kind="Note">two <b id="b1">bold <i id="i1">both</i></b></p>
<ul id="u"><li id="l1">1</li><li id="l2" class="on">2</li><li id="l3">3</li><li id="l4">4</li><li id="l5">5</li></ul>
<p id="p3"></p><p id="p4"> </p><p id="p5"><!-- c --></p></div>
<div id="side" class="md:flex" lang="fr"><span id="s1" title="a b-c">x</span><em id="e1">y</em><span id="s2">z</span></div>
<form id="f"><input id="c1" type="CheckBox" checked><input id="c2" type="text" disabled>
<fieldset id="fs" disabled><input id="c3"></fieldset></form>
<template id="t"><p id="inert">x</p></template>
<svg id="v"><foreignObject id="fo"></foreignObject><a id="va" viewBox="0"></a></svg>
</body></html>)";

}  // namespace

TEST_CASE("selectors find what a browser finds") {
    const Tree tree = parse(std::string(page));
    const struct {
        std::string_view selector, expected;
    } cases[] = {
        // Type, universal, class, id.
        {"p", "p1 p2 p3 p4 p5"},
        {"P", "p1 p2 p3 p4 p5"},
        {"#p2", "p2"},
        {".lead", "p1"},
        {".LEAD", ""},
        {"p.lead#p1", "p1"},
        {".content.wide", "main"},
        {".md\\:flex", "side"},
        {"#\\73 ide", "side"},
        {"ul > *", "l1 l2 l3 l4 l5"},
        {"*|ul", "u"},
        {"foreignObject", "fo"},
        {"foreignobject", ""},
        {"nosuchtag", ""},
        {"h1, em, h1", "h e1"},
        // Attributes.
        {"[href]", "a1"},
        {"[HREF]", "a1"},
        {"[rel~=noopener]", "a1"},
        {"[rel~='nofollow noopener']", ""},
        {"[rel='NOFOLLOW noopener']", "a1"},
        {"[data-kind=note]", ""},
        {"[data-kind=note i]", "p2"},
        {"[data-kind='Note' s]", "p2"},
        {"[type=checkbox]", "c1"},
        {"[type=checkbox s]", ""},
        {"[lang|=en]", "html"},
        {"[lang|=e]", ""},
        {"[id^=l]", "l1 l2 l3 l4 l5"},
        {"[id$='1']", "p1 a1 b1 i1 l1 s1 e1 c1"},
        {"[title*='b-']", "s1"},
        {"[title*='']", ""},
        {"[viewBox]", "va"},
        // Combinators.
        {"div p a", "a1"},
        {"body > p", ""},
        {"body > div > p > a", "a1"},
        {"h1 + p", "p1"},
        {"h1 ~ p", "p1 p2 p3 p4 p5"},
        {"p + ul ~ p", "p3 p4 p5"},
        {"#l2 ~ li + li", "l4 l5"},
        {"div b i", "i1"},
        {"div > b i", ""},
        // Position.
        {"li:first-child", "l1"},
        {"li:last-child", "l5"},
        {"li:nth-child(odd)", "l1 l3 l5"},
        {"li:nth-child(even)", "l2 l4"},
        {"li:nth-child(2n+1)", "l1 l3 l5"},
        {"li:nth-child( -n + 2 )", "l1 l2"},
        {"li:nth-child(n+4)", "l4 l5"},
        {"li:nth-child(3)", "l3"},
        {"li:nth-child(0n+3)", "l3"},
        {"li:nth-child(-3)", ""},
        {"li:nth-last-child(2)", "l4"},
        {"li:nth-child(1 of .on)", "l2"},
        {"span:nth-of-type(2)", "s2"},
        {"span:nth-last-of-type(2)", "s1"},
        {"span:first-of-type, em:only-of-type", "s1 e1"},
        {"#main p:last-of-type", "p5"},
        {"i:only-child", "i1"},
        {"p:empty", "p3 p5"},
        {":root", "html"},
        // Logic.
        {"li:not(.on)", "l1 l3 l4 l5"},
        {"li:not(.on, :first-child)", "l3 l4 l5"},
        {":is(h1, em)", "h e1"},
        {":where(#side) > span", "s1 s2"},
        {"p:not(div > p)", ""},
        {"p:has(a)", "p1"},
        {"p:has(> i)", ""},
        {"p:has(b > i)", "p2"},
        {"div:has(p i)", "main"},
        {"b:has(body i)", ""},
        {"h1:has(+ p)", "h"},
        {"p:has(~ ul)", "p1 p2"},
        {"li:has(+ .on)", "l1"},
        {"div:not(:has(p))", "side"},
        {"p:has(a, b)", "p1 p2"},
        {"p:has(:is(i))", "p2"},
        // State.
        {":checked", "c1"},
        {":disabled", "c2 fs c3"},
        {"input:enabled", "c1"},
        {":any-link", "a1"},
        {"a:hover", ""},
        {"span:lang(fr)", "s1 s2"},
        {"ul:lang(en)", "u"},
        // Nothing inside a template, but the template itself.
        {"#inert", ""},
        {"template", "t"},
        {":has(#inert)", ""},
        // Comments and space.
        {" p /* c */ > /**/ a ", "a1"},
    };
    for (const auto& [selector, expected] : cases) {
        CAPTURE(selector);
        CHECK(found(tree, selector) == expected);
    }
}

TEST_CASE("a single element can be asked about") {
    const Tree tree = parse("<ul><li id=a><li id=b></ul>");
    const auto second = parse_selectors("li + li").value();
    const auto items = select(tree, parse_selectors("li").value());

    REQUIRE(items.size() == 2);
    CHECK_FALSE(matches(tree, items[0], second));
    CHECK(matches(tree, items[1], second));
}

TEST_CASE("in quirks mode classes and ids are compared without case") {
    const Tree tree = parse("<p id=One class='Big'>");

    CHECK(found(tree, ".big") == "One");
    CHECK(found(tree, "#one") == "One");
}

TEST_CASE("a wrong selector is explained, with the place") {
    const struct {
        std::string_view selector, message;
    } cases[] = {
        {"", "selector \"\": expected a selector at character 1"},
        {"div >", "selector \"div >\": expected a selector at character 6"},
        {"> p", "selector \"> p\": expected a selector, not \">\" at character 1"},
        {"a,,b", "selector \"a,,b\": expected a selector, not \",\" at character 3"},
        {"a b)", "selector \"a b)\": unexpected \")\" at character 4"},
        {".1a", "selector \".1a\": expected a name at character 2"},
        {"[a=", "selector \"[a=\": expected a name at character 4"},
        {"[a='x]", "selector \"[a='x]\": unfinished string at character 7"},
        {"[a!=b]", "selector \"[a!=b]\": unknown comparison \"!=\" at character 3"},
        {"[a=b x]", "selector \"[a=b x]\": expected \"]\" at character 6"},
        {"p::before", "selector \"p::before\": pseudo-elements name nothing in a page at character 3"},
        {":foo", "selector \":foo\": unknown pseudo-class \":foo\" at character 5"},
        {":contains(x)", "selector \":contains(x)\": unknown pseudo-class \":contains()\" at character 11"},
        {":not(", "selector \":not(\": expected a selector at character 6"},
        {":not(a", "selector \":not(a\": expected \")\" at character 7"},
        {":nth-child(x)",
         "selector \":nth-child(x)\": expected a number, \"odd\", \"even\" or \"an+b\" at character 12"},
        {":nth-child(99999999999)",
         "selector \":nth-child(99999999999)\": number is too large at character 12"},
        {"svg|a", "selector \"svg|a\": namespaces are not supported at character 4"},
    };
    for (const auto& [selector, message] : cases) {
        CAPTURE(selector);
        const auto result = parse_selectors(selector);
        REQUIRE_FALSE(result);
        CHECK(result.error().code == ErrorCode::invalid_argument);
        CHECK(result.error().message == message);
    }
}

TEST_CASE("selectors beyond the limits are refused") {
    const auto code = [](const std::string& selector) { return parse_selectors(selector).error().code; };
    std::string chain = "a", many = "a", nested = "a";
    for (int i = 0; i < 100; ++i) chain += ">a";
    for (int i = 0; i < 300; ++i) many += ",a";
    for (int i = 0; i < 20; ++i) nested = ":not(" + nested + ")";

    CHECK(code(std::string(5000, 'a')) == ErrorCode::too_large);
    CHECK(code(chain) == ErrorCode::too_large);
    CHECK(code(many) == ErrorCode::too_large);
    CHECK(code(nested) == ErrorCode::too_large);
}

TEST_CASE("selectors that are slow with backtracking are not slow here") {
    std::string deep;
    for (int i = 0; i < 400; ++i) deep += "<div><span></span>";
    for (int i = 0; i < 50'000; ++i) deep += "<p></p>";
    const Tree tree = parse(deep);
    std::string descendants = "div";
    for (int i = 0; i < 30; ++i) descendants += " div > div";

    CHECK(found(tree, descendants + " b").empty());
    CHECK(select(tree, parse_selectors("div:has(div:has(div:has(p ~ p)))").value()).size() == 398);
}
