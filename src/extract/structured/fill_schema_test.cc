#include "extract/structured/fill_schema.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include "extract/structured/rules.h"
#include "html/parser.h"

using quarry::schema::Schema;
using quarry::structured::Filled;
using quarry::structured::Rules;
namespace json = boost::json;

namespace {

Filled filled(std::string html, std::string_view schema, const char* rules = nullptr) {
    const auto tree = quarry::html::parse(std::move(html));
    const auto base = quarry::url::Url::parse("https://a.example/shop/").value();
    const auto page = quarry::structured::read_page_data(tree, base.href());
    const json::object ruled =
        rules != nullptr ? Rules::parse(rules).value().apply(tree, &base) : json::object();
    return quarry::structured::fill_schema(Schema::parse_text(schema).value(),
                                           {.page = &page, .rules = &ruled, .base = &base})
        .value();
}

std::string sources_of(const Filled& result) {
    std::string text;
    for (const auto& source : result.sources)
        text += (text.empty() ? "" : ", ") + source.field + " " + std::string(name_of(source.source)) + " (" +
                source.where + ")";
    return text;
}

constexpr const char* product = R"(<title>Shop</title><meta property="og:title" content="Mug | Shop">
    <script type="application/ld+json">[{"@type":"Organization","name":"Shop Inc."},
    {"@type":"Product","name":"Mug","image":["/m.png"],"brand":{"@type":"Brand","name":"Clay"},
     "offers":[{"@type":"Offer","price":"9.50","priceCurrency":"EUR","availability":"https://schema.org/InStock"}],
     "aggregateRating":{"ratingValue":4.5,"reviewCount":"12"}}]</script>)";

}  // namespace

TEST_CASE("fields are found by their names and by what schema.org calls them") {
    struct Row {
        const char *property, *value;
    };
    const Row rows[] = {
        {R"("name":{"type":"string"})", R"({"name":"Mug"})"},
        {R"("title":{"type":"string"})", R"({"title":"Mug"})"},
        {R"("price":{"type":"number"})", R"({"price":9.5E0})"},
        {R"("price":{"type":"string"})", R"({"price":"9.50"})"},
        {R"("price":{"type":["null","number"]})", R"({"price":9.5E0})"},
        {R"("price":{"anyOf":[{"type":"boolean"},{"type":"number"}]})", R"({"price":9.5E0})"},
        {R"("currency":{"type":"string","enum":["usd","eur"]})", R"({"currency":"eur"})"},
        {R"("availability":{"enum":["InStock","SoldOut"]})", R"({"availability":"InStock"})"},
        {R"("in_stock":{"type":"boolean"})", R"({"in_stock":true})"},
        {R"("brand":{"type":"string"})", R"({"brand":"Clay"})"},
        {R"("brand":{"type":"object","properties":{"name":{"type":"string"}}})",
         R"({"brand":{"name":"Clay"}})"},
        {R"("image":{"type":"string","format":"uri"})", R"({"image":"https://a.example/m.png"})"},
        {R"("images":{"type":"array","items":{"type":"string"}})", R"({"images":["/m.png"]})"},
        {R"("rating":{"type":"number"},"reviewCount":{"type":"integer"})",
         R"({"rating":4.5E0,"reviewCount":12})"},
        {R"("offers":{"type":"array","items":{"$ref":"#/$defs/offer"}})", R"({"offers":[{"price":9.5E0}]})"},
        {R"("colour":{"type":"string"})", "{}"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.property);
        const std::string schema =
            R"({"title":"Product","type":"object","properties":{)" + std::string(row.property) +
            R"(},"$defs":{"offer":{"type":"object","properties":{"price":{"type":"number"}}}}})";
        CHECK(json::serialize(filled(product, schema).data) == row.value);
    }
}

TEST_CASE("each field says where it came from") {
    const Filled result = filled(
        std::string(product) + "<h1>The Mug</h1><table><tr><th>Weight<td>300 g</table>",
        R"({"properties":{"name":{"type":"string"},"price":{"type":"number"},"weight":{"type":"integer"},
            "description":{"type":"string"}},"required":["name","price"]})",
        R"({"fields":{"name":"h1"}})");

    CHECK(json::serialize(result.data) == R"({"name":"The Mug","price":9.5E0,"weight":300})");
    CHECK(sources_of(result) == "/name rule (name), /price json-ld (Product), /weight table (table 1)");
    CHECK(result.problems.empty());
}

TEST_CASE("Open Graph and meta tags answer what nothing else does") {
    const Filled result = filled(R"(<html lang=en><title>T</title><meta property="og:site_name" content="S">
        <meta name="keywords" content="a, b"><meta property="article:published_time" content="2024-03-05T10:00:00Z">)",
                                 R"({"properties":{"title":{"type":"string"},"site":{"type":"string"},
        "tags":{"type":"array","items":{"type":"string"}},"date":{"type":"string","format":"date"}}})");

    CHECK(json::serialize(result.data) == R"({"title":"T","site":"S","tags":["a","b"],"date":"2024-03-05"})");
}

TEST_CASE("two things of one page are never mixed") {
    const Filled result = filled(
        R"(<div itemscope itemtype="https://schema.org/Product"><b itemprop=name>A</b><i itemprop=sku>1</i></div>
        <div itemscope itemtype="https://schema.org/Product"><b itemprop=name>B</b><i itemprop=color>red</i></div>)",
        R"({"properties":{"name":{},"sku":{},"color":{}}})");

    CHECK(json::serialize(result.data) == R"({"name":"A","sku":"1"})");
}

TEST_CASE("lists take all things of one kind") {
    struct Row {
        const char *html, *source;
    };
    const Row rows[] = {
        {"<table><tr><th>Name<th>Price<tr><td>A<td>$1<tr><td>B<td>$2</table>", "/products table (table 1)"},
        {R"(<p itemscope itemtype=Product><b itemprop=name>A</b><i itemprop=price>1</i></p>
            <p itemscope itemtype=Product><b itemprop=name>B</b><i itemprop=price>2</i></p>)",
         "/products microdata (Product)"},
        {R"(<script type="application/ld+json">{"@type":"ItemList","itemListElement":[
            {"@type":"ListItem","item":{"name":"A","offers":{"price":1}}},{"name":"B","offers":{"price":2}}]}</script>)",
         "/products json-ld (ItemList)"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.source);
        const Filled result =
            filled(row.html, R"({"properties":{"products":{"type":"array","items":{"type":"object",
            "properties":{"name":{"type":"string"},"price":{"type":"integer"}},"required":["name","price"]}}}})");
        CHECK(json::serialize(result.data) ==
              R"({"products":[{"name":"A","price":1},{"name":"B","price":2}]})");
        CHECK(sources_of(result) == row.source);
        CHECK(result.problems.empty());
    }
}

TEST_CASE("a schema may want a list and nothing around it") {
    const char* schema =
        R"({"type":"array","items":{"type":"object","properties":{"name":{"type":"string"}}}})";

    CHECK(json::serialize(filled("<table><tr><th>Name<tr><td>A<tr><td>B</table>", schema).data) ==
          R"([{"name":"A"},{"name":"B"}])");
    CHECK(json::serialize(filled("<b>x</b><b>y</b>", schema,
                                 R"({"fields":{"all":{"selector":"b","list":true,"fields":{"name":{}}}}})")
                              .data) == R"([{"name":"x"},{"name":"y"}])");
}

TEST_CASE("what is missing or out of bounds is told, and null stands where it may") {
    const Filled result = filled(
        product, R"({"properties":{"price":{"type":"number","minimum":10},"size":{"type":["string","null"]},
        "colour":{"type":"string"}},"required":["size","colour"]})");

    CHECK(json::serialize(result.data) == R"({"price":9.5E0,"size":null})");
    CHECK(sentence_of(result.problems) == R"(the value has no "colour"; /price is below 10)");
}

TEST_CASE("a schema that describes no object needs a model") {
    const auto tree = quarry::html::parse("<p>x");
    const auto page = quarry::structured::read_page_data(tree, "");

    const auto result =
        quarry::structured::fill_schema(Schema::parse_text(R"({"type":"string"})").value(), {.page = &page});

    CHECK(result.error().code == quarry::ErrorCode::unsupported);
}
