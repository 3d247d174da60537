#include "extract/user_selectors.h"

#include <doctest/doctest.h>

#include "extract/extract.h"
#include "extract/plain_text.h"
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

using namespace quarry;
using namespace quarry::extract;

namespace {

using Selectors = std::vector<std::string>;

const char* const page =
    "<nav>menu</nav><main><p class=a>one</p><p>two <b>bold</b></p></main><aside><p class=a>side</p></aside>";

std::string kept(const Selectors& selectors) {
    const html::Tree tree = html::parse(page);
    Selection selection(tree);
    REQUIRE(keep_only(tree, selectors, selection));
    return to_plain_text(tree, selection);
}

std::string left(const Selectors& selectors) {
    const html::Tree tree = html::parse(page);
    Selection selection(tree);
    REQUIRE(drop_matches(tree, selectors, selection));
    return to_plain_text(tree, selection);
}

}  // namespace

TEST_CASE("only what matches a selector is kept, in page order") {
    CHECK(kept({"main"}) == "one\n\ntwo bold\n");
    CHECK(kept({"aside", ".a"}) == "one\n\nside\n");
    CHECK(kept({"p, nav"}) == "menu\n\none\n\ntwo bold\n\nside\n");
    CHECK(kept({"b"}) == "bold\n");
    CHECK(kept({"video"}) == "");
}

TEST_CASE("what matches a selector is dropped with all that is in it") {
    CHECK(left({"nav", "aside"}) == "one\n\ntwo bold\n");
    CHECK(left({"main > p:not(.a)"}) == "menu\n\none\n\nside\n");
}

TEST_CASE("a selector that cannot be read is an error that names it") {
    const html::Tree tree = html::parse(page);
    Selection selection(tree);

    const auto result = keep_only(tree, Selectors{"p", "p[["}, selection);

    REQUIRE_FALSE(result);
    CHECK(result.error().code == ErrorCode::invalid_argument);
    CHECK(result.error().message.find("\"p[[\"") != std::string::npos);
}
