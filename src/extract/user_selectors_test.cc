#include "extract/attributes.h"

#include <doctest/doctest.h>

#include "extract/extract.h"
#include "html/parser.h"

using namespace quarry;

TEST_CASE("attributes are read by selector, as the page has them and in its order") {
    const html::Tree tree = html::parse(R"(<ul><li data-id=1 class=a><li data-id="&amp;2"><li class=b></ul>
                                           <a HREF="/x">x</a><template><li data-id=3></template>)");

    const std::vector<AttributeWish> wishes = {
        {"li", "data-id"}, {"a", "href"}, {"li", "title"}, {"b", "href"}};
    const auto found = extract::read_attributes(tree, wishes);

    REQUIRE(found);
    REQUIRE(found->size() == 4);
    CHECK((*found)[0].selector == "li");
    CHECK((*found)[0].attribute == "data-id");
    CHECK((*found)[0].values == std::vector<std::string>{"1", "&2"});
    CHECK((*found)[1].values == std::vector<std::string>{"/x"});
    CHECK((*found)[2].values.empty());
    CHECK((*found)[3].values.empty());
}

TEST_CASE("a selector that cannot be read is named") {
    const html::Tree tree = html::parse("<p>");

    const std::vector<AttributeWish> wishes = {{"p", "id"}, {"p[[", "id"}};
    const auto found = extract::read_attributes(tree, wishes);

    REQUIRE_FALSE(found);
    CHECK(found.error().code == ErrorCode::invalid_argument);
    CHECK(found.error().message.find("p[[") != std::string::npos);
}

TEST_CASE("a page cannot give more values than are kept") {
    std::string page;
    for (int i = 0; i < 20'000; ++i) page += "<i id=x></i>";
    const html::Tree tree = html::parse(std::move(page));

    const std::vector<AttributeWish> wishes = {{"i", "id"}, {"*", "id"}};
    const auto found = extract::read_attributes(tree, wishes);

    REQUIRE(found);
    CHECK((*found)[0].values.size() + (*found)[1].values.size() == 10'000);
}

TEST_CASE("a document has the attributes that were asked for") {
    const Page page{.final_url = "https://a.example/",
                    .content_type = "text/html",
                    .body = "<article><p id=one>Some words of a page.</p></article>"};

    const auto document = extract::extract(page, {.attributes = {{"p", "id"}}});

    REQUIRE(document);
    REQUIRE(document->attributes.size() == 1);
    CHECK(document->attributes[0].values == std::vector<std::string>{"one"});
}
