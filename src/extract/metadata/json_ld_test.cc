#include "extract/metadata/json_ld.h"

#include <array>
#include <string>

#include <doctest/doctest.h>

using namespace quarry::extract;

namespace {

StructuredFacts facts_of(std::string_view script) {
    return read_json_ld(std::array{script}).facts;
}

}  // namespace

TEST_CASE("an article's author and dates are found") {
    const StructuredFacts facts =
        facts_of(R"({"@context":"https://schema.org","@type":"NewsArticle","headline":"H",
        "author":{"@type":"Person","name":"Ann"},"datePublished":"2024-03-05","dateModified":"2024-03-06",
        "publisher":{"@type":"Organization","name":"The Paper"},"image":["https://a.example/1.jpg"]})");

    CHECK(facts.headline == "H");
    CHECK(facts.author == "Ann");
    CHECK(facts.published == "2024-03-05");
    CHECK(facts.modified == "2024-03-06");
    CHECK(facts.site_name == "The Paper");
    CHECK(facts.image == "https://a.example/1.jpg");
}

TEST_CASE("authors come as text, as a list, or as references into the graph") {
    struct Row {
        const char* script;
        const char* author;
    };
    const Row rows[] = {
        {R"({"@type":"Article","author":"Ann"})", "Ann"},
        {R"({"@type":"Article","author":[{"name":"Ann"},"Bob"]})", "Ann, Bob"},
        {R"({"@type":"Article","author":{"name":["Ann","B"]}})", "Ann"},
        {R"({"@graph":[{"@type":"Article","author":{"@id":"#p"}},{"@type":"Person","@id":"#p","name":"Ann"}]})",
         "Ann"},
        {R"([{"@type":["Thing","BlogPosting"],"creator":"Ann"}])", "Ann"},
        {R"({"@type":"http://schema.org/Article","author":"Ann"})", "Ann"},
        {R"({"@type":"WebPage","mainEntity":{"@type":"Question","author":{"name":"Ann"}}})", "Ann"},
        {R"({"@type":"ClaimReview","author":{"name":"Redacci&oacute;n &#039;X&#039;"}})", "Redacción 'X'"},
        {R"({"@type":"Person","name":"Ann"})", ""},
        {R"({"@type":"Article","author":{"@id":"#nobody"}})", ""},
        {R"({"@type":"Article","author":7})", ""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.script);
        CHECK(facts_of(row.script).author == row.author);
    }
}

TEST_CASE("an organisation named as author is told apart from people") {
    const StructuredFacts facts =
        facts_of(R"({"@type":"Article","author":{"@type":"Organization","name":"The Paper"}})");

    CHECK(facts.author == "");
    CHECK(facts.organisation == "The Paper");
}

TEST_CASE("what an article says counts for more than what its page says") {
    const StructuredFacts facts = facts_of(R"({"@graph":[
        {"@type":"WebPage","name":"Page","datePublished":"2020-01-01","description":"D"},
        {"@type":"BlogPosting","headline":"Post","datePublished":"2024-03-05"},
        {"@type":"WebSite","name":"Site"}]})");

    CHECK(facts.headline == "Post");
    CHECK(facts.published == "2024-03-05");
    CHECK(facts.description == "D");
    CHECK(facts.site_name == "Site");
}

TEST_CASE("scripts are kept as found, broken ones left out, wrappings removed") {
    const std::string deep = std::string(100, '[') + std::string(100, ']');
    const std::array<std::string_view, 6> scripts{
        "\n<!-- {\"a\": 1} -->\n", "{\"a\": ", "//<![CDATA[\n[1, 2]\n//]]>", "", deep, "{'a': 1}"};

    const JsonLd found = read_json_ld(scripts);

    REQUIRE(found.texts.size() == 2);
    CHECK(found.texts[0] == "{\"a\": 1}");
    CHECK(found.texts[1] == "[1, 2]");
}

TEST_CASE("a script beyond the bounds is left out and the others stay") {
    const std::string large = "[" + std::string(600'000, ' ') + "]";

    CHECK(read_json_ld(std::array<std::string_view, 2>{large, "{}"}).texts.size() == 1);
}
