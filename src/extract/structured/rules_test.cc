#include "extract/structured/rules.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include "html/parser.h"

using quarry::structured::Rules;
namespace json = boost::json;

namespace {

constexpr std::string_view page = R"(<h1> The  Mug </h1><p class=price>Now $1,299.50!</p><img src="/m.png">
    <i class=tag>a</i><i class=tag>b</i><i class=tag></i><article><p>one <b>two</b><script>x</script></article>
    <div class=offer><b>Ann</b><span>5</span><a href=1>x</a></div><div class=offer><b>Bob</b><span>free</span></div>
    <time>5. März 2024</time><em>yes</em>)";

std::string applied(std::string_view fields) {
    const auto tree = quarry::html::parse(std::string(page));
    const auto base = quarry::url::Url::parse("https://a.example/shop/").value();
    return json::serialize(
        Rules::parse(R"({"fields":)" + std::string(fields) + "}").value().apply(tree, &base));
}

}  // namespace

TEST_CASE("a rule finds its field") {
    struct Row {
        const char *fields, *result, *reason;
    };
    const Row rows[] = {
        {R"({"title":"h1"})", R"({"title":"The Mug"})", "a selector alone means the text of the first match"},
        {R"({"p":{"selector":".price","type":"number"}})", R"({"p":1.2995E3})", "a number in a sentence"},
        {R"({"p":{"selector":".price","type":"date"}})", "{}", "what is not of the type is not there"},
        {R"({"i":{"selector":"img","attribute":"src","type":"url"}})", R"({"i":"https://a.example/m.png"})",
         "an attribute"},
        {R"({"i":{"selector":"img","attribute":"alt"}})", "{}", "an attribute that is missing"},
        {R"({"t":{"selector":".tag","list":true}})", R"({"t":["a","b"]})", "a list, without what is empty"},
        {R"({"h":{"selector":"article","get":"html"}})",
         R"({"h":"<article><p>one <b>two</b></p></article>"})", "clean HTML"},
        {R"({"d":{"selector":"time","type":"date"}})", R"({"d":"2024-03-05"})", "a date"},
        {R"({"y":{"selector":"em","type":"boolean"}})", R"({"y":true})", "yes and no"},
        {R"({"o":{"selector":".offer","list":true,"fields":{"who":"b","price":{"selector":"span","type":"integer"}}}})",
         R"({"o":[{"who":"Ann","price":5},{"who":"Bob"}]})",
         "nested fields are looked for inside their element"},
        {R"({"o":{"selector":".offer a","list":true,"fields":{"text":{},"url":{"attribute":"href","type":"url"}}}})",
         R"({"o":[{"text":"x","url":"https://a.example/shop/1"}]})",
         "without a selector it is the element itself"},
        {R"({"n":"#none"})", "{}", "nothing matches"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.reason);
        CHECK(applied(row.fields) == row.result);
    }
}

TEST_CASE("a rules file that cannot be used says where and why") {
    struct Row {
        const char *rules, *part;
    };
    const Row rows[] = {
        {"{", "not JSON"},
        {"[]", "must be an object with \"fields\""},
        {R"({"fields":{},"x":1})", "and nothing else"},
        {R"({"fields":{}})", "/fields must be an object with a rule for each field"},
        {R"({"fields":{"a":1}})", "/fields/a must be a selector"},
        {R"({"fields":{"a":"p::"}})", "/fields/a has a selector that cannot be read"},
        {R"({"fields":{"a":{"selctor":"p"}}})",
         "/fields/a/selctor is no part of a rule, did you mean \"selector\"?"},
        {R"({"fields":{"a":{"selector":"p","type":"text"}}})", "/fields/a/type there is no type \"text\""},
        {R"({"fields":{"a":{"selector":"p","list":1}}})", "/fields/a/list must be true or false"},
        {R"({"fields":{"a":{"selector":"p","get":"markdown"}}})", "/fields/a/get must be text or html"},
        {R"({"fields":{"a":{"list":true}}})", "needs a selector"},
        {R"({"fields":{"a":{"selector":"p","type":"url","fields":{"b":"i"}}}})", "has fields, so"},
        {R"({"fields":{"a":{"selector":"p","fields":{"b":{"fields":{"c":{"fields":{"d":{"fields":{"e":"i"}}}}}}}}}})",
         "four levels"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.rules);
        const auto rules = Rules::parse(row.rules);
        REQUIRE(!rules);
        CHECK_MESSAGE(rules.error().message.find(row.part) != std::string::npos, rules.error().message);
    }
}

TEST_CASE("rules are written as they were read") {
    const char* text =
        R"({"fields":{"a":{"selector":"p","attribute":"x","list":true,"type":"url"},"b":{"selector":"q","fields":{"c":{"get":"html"}}}}})";

    CHECK(json::serialize(Rules::parse(text).value().to_json()) == text);
}
