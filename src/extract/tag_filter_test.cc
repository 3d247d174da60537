#include "extract/user_selectors.h"

#include <doctest/doctest.h>

#include "extract/plain_text.h"
#include "html/parser.h"

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
