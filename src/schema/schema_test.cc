#include "schema/schema.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

using quarry::ErrorCode;
using quarry::schema::Schema;
namespace json = boost::json;

namespace {

std::string problems_of(std::string_view schema, std::string_view value) {
    return sentence_of(Schema::parse_text(schema).value().check(json::parse(value)).value());
}

}  // namespace

TEST_CASE("what is wrong with a value is told with its place") {
    struct Row {
        const char *schema, *value, *sentence;
    };
    const Row rows[] = {
        {R"({"type":"object"})", "{}", ""},
        {R"({"type":"object"})", "[]", "the value is not of type object"},
        {R"({"type":["string","null"]})", "1", "the value is none of the types string, null"},
        {R"({"type":"integer"})", "1.0", ""},
        {R"({"properties":{"a/b":{"type":"number"}}})", R"({"a/b":"x"})", "/a~1b is not of type number"},
        {R"({"required":["name"]})", "{}", R"(the value has no "name")"},
        {R"({"items":{"minimum":3}})", "[3,2]", "/1 is below 3"},
        {R"({"properties":{"a":true},"additionalProperties":false})", R"({"a":1,"b":2})",
         "/b is not allowed"},
        {R"({"enum":["a","b"]})", R"("c")", R"(the value is none of ["a","b"])"},
        {R"({"const":1})", "1.0", ""},
        {R"({"multipleOf":0.01})", "19.99", ""},
        {R"({"pattern":"^a"})", R"("ba")", "the value does not match ^a"},
        {R"({"maxLength":2})", R"("日本語")", "the value has more than 2 characters"},
        {R"({"anyOf":[{"type":"string"},{"type":"null"}]})", "1",
         "the value is none of the alternatives that the schema allows"},
        {R"({"anyOf":[{"type":"string"}]})", "1", "the value is not of type string"},
        {R"({"uniqueItems":true})", R"([{"a":1,"b":2},{"b":2.0,"a":1}])",
         "the value has an item more than once"},
        {R"({"$ref":"#/$defs/a","$defs":{"a":{"type":"string"}}})", "1", "the value is not of type string"},
        {R"({"$ref":"https://json-schema.org/draft/2020-12/schema"})", R"({"type":"text"})",
         "the value is not a schema"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.schema);
        CHECK(problems_of(row.schema, row.value) == row.sentence);
    }
}

TEST_CASE("many problems are told shortly") {
    CHECK(problems_of(R"({"items":false})", "[1,2,3,4,5,6,7]").ends_with("; and 2 more"));
}

TEST_CASE("a schema that cannot be used is refused with the place of its mistake") {
    struct Row {
        const char *schema, *part;
    };
    const Row rows[] = {
        {"[", "not JSON"},
        {"1", "it must be a schema"},
        {R"({"type":"text"})", "/type must be array"},
        {R"({"properties":[]})", "/properties must be an object with schemas"},
        {R"({"properties":{"a":{"items":[{}]}}})", "/properties/a/items must be a schema"},
        {R"({"minLength":-1})", "/minLength must be a whole number"},
        {R"-({"pattern":"(?=a)"})-", "/pattern must be a pattern"},
        {R"({"$ref":"#/$defs/none"})", "refers to #/$defs/none, which is not there"},
        {R"({"$ref":"https://a.example/schema"})", "nothing is fetched"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.schema);
        const auto schema = Schema::parse_text(row.schema);
        REQUIRE(!schema);
        CHECK(schema.error().code == ErrorCode::invalid_argument);
        CHECK_MESSAGE(schema.error().message.find(row.part) != std::string::npos, schema.error().message);
    }
}

TEST_CASE("a schema that refers to itself without end is given up") {
    const Schema schema = Schema::parse_text(R"({"$ref":"#"})").value();

    CHECK(schema.check(1).error().code == ErrorCode::too_large);
}

TEST_CASE("a schema that takes exponential time is given up") {
    std::string text = R"({"$defs":{"d0":{"type":"string"})";
    for (int i = 1; i <= 40; ++i) {
        const std::string below = R"({"$ref":"#/$defs/d)" + std::to_string(i - 1) + R"("})";
        text += R"(,"d)" + std::to_string(i) + R"(":{"oneOf":[)" + below + "," + below + "]}";
    }
    const Schema schema = Schema::parse_text(text + R"(},"$ref":"#/$defs/d40"})").value();

    CHECK(schema.check("a").error().code == ErrorCode::too_large);
}

TEST_CASE("a schema with too much in it is refused") {
    std::string deep = "true";
    for (int i = 0; i < 100; ++i) deep = R"({"not":)" + deep + "}";
    std::string many = R"({"allOf":[true)";
    for (int i = 0; i < 30'000; ++i) many += ",true";

    CHECK(Schema::parse_text(deep).error().code == ErrorCode::too_large);
    CHECK(Schema::parse_text(many + "]}").error().code == ErrorCode::too_large);
}

TEST_CASE("the schema behind a reference is found, also through several") {
    const Schema schema =
        Schema::parse_text(R"({"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"type":"string"}}})")
            .value();

    CHECK(schema.behind(schema.document()).at("type") == "string");
}
