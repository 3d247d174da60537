#include "extract/structured/page_data.h"

#include <algorithm>

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include "html/parser.h"

using quarry::structured::Item;
using quarry::structured::PageData;
using quarry::structured::PageDataLimits;
using quarry::structured::Source;
namespace json = boost::json;

namespace {

PageData data_of(std::string html) {
    return quarry::structured::read_page_data(quarry::html::parse(std::move(html)),
                                              "https://a.example/dir/page");
}

// The items of one source, as "type fields" a line.
std::string found(std::string html, Source source) {
    std::string text;
    for (const Item& item : data_of(std::move(html)).items) {
        if (item.source != source) continue;
        text += (text.empty() ? "" : "\n") + item.type + (item.type.empty() ? "" : " ") +
                json::serialize(item.fields);
    }
    return text;
}

struct Row {
    const char *html, *items, *reason;
};

void check_rows(std::span<const Row> rows, Source source) {
    for (const Row& row : rows) {
        CAPTURE(row.reason);
        CHECK(found(row.html, source) == row.items);
    }
}

}  // namespace

TEST_CASE("JSON-LD becomes items") {
    const Row rows[] = {
        {R"(<script type="application/ld+json">{"@type":"Product","name":"Mug","offers":{"price":"9.50"}}</script>)",
         R"(Product {"@type":"Product","name":"Mug","offers":{"price":"9.50"}})", "one object"},
        {R"(<script type="application/ld+json">{"@context":"https://schema.org","@graph":[{"@type":"WebSite","name":"A"},
            {"@type":"Article","headline":"B","author":{"@id":"#ann"}},{"@id":"#ann","@type":"Person","name":"Ann"}]}</script>)",
         "WebSite {\"@type\":\"WebSite\",\"name\":\"A\"}\n"
         R"(Article {"@type":"Article","headline":"B","author":{"@id":"#ann","@type":"Person","name":"Ann"}})"
         "\nPerson {\"@id\":\"#ann\",\"@type\":\"Person\",\"name\":\"Ann\"}",
         "a graph, with a reference put in place"},
        {R"(<script type="application/ld+json">[{"@type":["schema:Book","Thing"],"schema:name":{"@value":"C"}}]</script>)",
         R"(Book {"@type":["schema:Book","Thing"],"name":"C"})", "a list, prefixes and values as objects"},
        {R"(<script type="application/ld+json">{"@id":"#a","x":{"@id":"#a"}}</script>)",
         R"({"@id":"#a","x":{"@id":"#a","x":{"@id":"#a","x":{"@id":"#a","x":{"@id":"#a"}}}}})",
         "references in a circle end"},
        {R"(<script type="application/ld+json">{"name":</script>)", "", "broken"},
    };
    check_rows(rows, Source::json_ld);
}

TEST_CASE("microdata becomes items") {
    const Row rows[] = {
        {R"(<div itemscope itemtype="https://schema.org/Product"><b itemprop="name">Mug</b>
            <span itemprop="offers" itemscope><meta itemprop="price" content="9.50"></span></div>)",
         R"(Product {"@type":"Product","name":"Mug","offers":{"price":"9.50"}})", "nested items"},
        {R"(<div itemscope><a itemprop="url" href="x">t</a><img itemprop="image" src="/i.png"><time itemprop="date" datetime="2024-01-02">soon</time>
            <data itemprop="sku" value="7">seven</data></div>)",
         R"({"url":"https://a.example/dir/x","image":"https://a.example/i.png","date":"2024-01-02","sku":"7"})",
         "values by element"},
        {R"(<p itemscope><i itemprop="tag">a</i><i itemprop="tag">b</i></p>)", R"({"tag":["a","b"]})",
         "repeated names"},
        {R"(<p itemscope itemref="more"><i itemprop="a">1</i></p><p id="more"><i itemprop="b">2</i></p>)",
         R"({"b":"2","a":"1"})", "fields elsewhere on the page"},
        {R"(<p itemscope id="x" itemref="x"><i itemprop="a">1</i></p>)", "{\"a\":\"1\"}\n{\"a\":\"1\"}",
         "a reference to itself ends"},
        {R"(<p itemprop="name">nobody's</p>)", "", "a field outside of every item"},
        {R"(<div itemscope></div>)", "", "an item without fields"},
    };
    check_rows(rows, Source::microdata);
}

TEST_CASE("RDFa Lite becomes items") {
    const Row rows[] = {
        {R"(<div vocab="https://schema.org/" typeof="Person"><b property="name">Ann</b>
            <div property="address" typeof="PostalAddress"><i property="addressLocality">Rome</i></div></div>)",
         R"(Person {"@type":"Person","name":"Ann","address":{"@type":"PostalAddress","addressLocality":"Rome"}})",
         "nested items"},
        {R"(<p prefix="s: https://schema.org/" typeof="s:Book"><a property="s:url" href="/b">b</a></p>)",
         R"(Book {"@type":"Book","url":"https://a.example/b"})", "prefixes"},
        {R"(<meta property="og:title" content="T">)", "", "Open Graph is not RDFa's"},
    };
    check_rows(rows, Source::rdfa);
}

TEST_CASE("Open Graph and twitter tags are one item") {
    CHECK(found(R"(<meta property="og:type" content="product"><meta property="og:title" content="T">
                   <meta property="product:price:amount" content="5"><meta name="twitter:title" content="U">
                   <meta name="twitter:creator" content="@ann">)",
                Source::open_graph) ==
          R"(product {"type":"product","title":"T","price:amount":"5","creator":"@ann"})");
}

TEST_CASE("meta tags are judged as for every document") {
    CHECK(
        found(
            R"(<html lang="de"><title>T</title><meta name="author" content="Ann"><meta name="rating" content="5">)",
            Source::meta) == R"({"title":"T","language":"de","author":"Ann","rating":"5"})");
}

TEST_CASE("tables become records") {
    const Row rows[] = {
        {"<table><tr><th>Name<th>Age<tr><td>Ann<td>7<tr><td>Bob<td>8</table>",
         "{\"Name\":\"Ann\",\"Age\":\"7\"}\n{\"Name\":\"Bob\",\"Age\":\"8\"}", "a row of headers"},
        {"<table><tr><th>Name<td>Ann<tr><th>Age<td>7</table>", R"({"Name":"Ann","Age":"7"})",
         "a column of headers"},
        {"<table><tr><th>Name<td>Ann<td>Bob<tr><th>Age<td>7<td>8</table>",
         "{\"Name\":\"Ann\",\"Age\":\"7\"}\n{\"Name\":\"Bob\",\"Age\":\"8\"}",
         "a column of headers for several"},
        {"<table><tr><td>1<td>2<tr><td>3<td>4</table>", "", "no headers"},
        {"<dl><dt>Size:<dd>L<div><dt>Colour<dd>red<dd>blue</div></dl>",
         R"({"Size":"L","Colour":["red","blue"]})", "a definition list"},
    };
    check_rows(rows, Source::table);
}

TEST_CASE("a page that describes more than any page does is cut") {
    std::string html = "<div itemscope>";
    for (std::size_t i = 0; i < 3 * PageDataLimits::items; ++i)
        html += "<p itemscope><b itemprop=a>1</b></p>";

    const std::string items = found(html, Source::microdata);
    CHECK(std::ranges::count(items, '\n') < static_cast<std::ptrdiff_t>(PageDataLimits::items));
}

TEST_CASE("items nested deeper than anybody needs are left out") {
    std::string html;
    for (int i = 0; i < 200; ++i) html += "<div itemscope itemprop=x><b itemprop=a>1</b>";

    const std::string items = found(html, Source::microdata);
    CHECK(std::ranges::count(items, 'x') == PageDataLimits::nesting - 1);
}
