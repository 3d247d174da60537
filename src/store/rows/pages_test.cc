#include "store/rows/pages.h"

#include <string>

#include <doctest/doctest.h>

namespace quarry::store {

namespace {

std::string words(std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += "word" + std::to_string(i * 2'654'435'761 % 1'000) + ' ';
    return text;
}

}  // namespace

TEST_CASE("what is packed comes back") {
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, std::size_t{1'000}, std::size_t{200'000}}) {
        const Content content{.markdown = words(size), .details = "{\"title\":\"a\"}", .html = "<p>"};

        const Content back = unpack(pack(content).value()).value();

        CHECK(back.markdown == content.markdown);
        CHECK(back.details == content.details);
        CHECK(back.html == content.html);
    }
}

TEST_CASE("the hash changes with the words, the title, and the border between them") {
    CHECK(content_hash("a", "b c") == content_hash("a", "b c"));
    CHECK(content_hash("a", "b c") != content_hash("a", "b d"));
    CHECK(content_hash("a", "b c") != content_hash("a b", "c"));
    CHECK(content_hash("ab", "c") != content_hash("a", "bc"));
    // Stored for good: a change of the function would make every page look changed.
    CHECK(content_hash("title", "words") == 11373191247297124334u);
}

}  // namespace quarry::store
