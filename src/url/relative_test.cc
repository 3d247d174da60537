#include <random>
#include <string>

#include <doctest/doctest.h>

#include "url/url.h"

using quarry::url::resolve_plain;
using quarry::url::Url;

TEST_CASE("plain references are resolved without a parse") {
    const Url base = Url::parse("https://a.example:8443/docs/15/index.html?x=1#top").value();
    constexpr struct {
        std::string_view reference, href;
    } cases[] = {
        {"sql-select.html", "https://a.example:8443/docs/15/sql-select.html"},
        {"sql-select.html#FROM", "https://a.example:8443/docs/15/sql-select.html#FROM"},
        {"page?id=1&b=%20#x", "https://a.example:8443/docs/15/page?id=1&b=%20#x"},
        {"/", "https://a.example:8443/"},
        {"/other/page.html", "https://a.example:8443/other/page.html"},
        {"#here", "https://a.example:8443/docs/15/index.html?x=1#here"},
        {"./", "https://a.example:8443/docs/15/"},
        {"../14/a.html", "https://a.example:8443/docs/14/a.html"},
        {"../../../../a.html", "https://a.example:8443/a.html"},
        {"a/b/", "https://a.example:8443/docs/15/a/b/"},
    };
    for (const auto& [reference, href] : cases) {
        CAPTURE(reference);
        std::string resolved;
        REQUIRE(resolve_plain(reference, base, resolved));
        CHECK(resolved == href);
        CHECK(resolved == Url::parse(reference, &base).value().href());
    }
}

TEST_CASE("what needs the parser is left to it") {
    const Url base = Url::parse("https://a.example/docs/index.html").value();
    constexpr std::string_view references[] = {"",
                                               "https://b.example/",
                                               "//b.example/",
                                               "mailto:x",
                                               "a b",
                                               "a\\b",
                                               "?q",
                                               "a/../b",
                                               "a/./b",
                                               ".",
                                               "..",
                                               ".hidden",
                                               "%2e%2e/",
                                               "caf\xC3\xA9",
                                               " padded ",
                                               "a\tb",
                                               "x:y",
                                               "a'b?c'd",
                                               "a/..#frag",
                                               "<x>"};
    for (const std::string_view reference : references) {
        CAPTURE(reference);
        std::string resolved;
        CHECK_FALSE(resolve_plain(reference, base, resolved));
    }
    std::string resolved;
    CHECK_FALSE(resolve_plain("a.html", Url::parse("file:///x/y").value(), resolved));
    CHECK_FALSE(resolve_plain("a.html", Url::parse("mailto:x").value(), resolved));
}

TEST_CASE("the quick way and the parser never disagree") {
    constexpr std::string_view pieces[] = {"a",  "b.html", "/", "..", ".", "../", "./", "?",   "#", "=",
                                           "&",  "%2e",    ":", "//", "~", "x_y", "@",  "1",   ";", "!",
                                           "\\", " ",      "é", "'",  "(", ")",   "|",  "C:/", "+", ","};
    constexpr std::string_view bases[] = {"http://a.example/", "https://u:p@a.example/x/y/z",
                                          "http://a.example/a/b/c/?q#f", "http://[::1]:8080/dir/",
                                          "https://a.example/a/..;/b"};
    std::mt19937 random(2);
    std::size_t resolved_quickly = 0;
    for (int round = 0; round < 50'000; ++round) {
        const Url base = Url::parse(bases[random() % std::size(bases)]).value();
        std::string reference, href;
        for (std::size_t left = random() % 6; left > 0; --left)
            reference += pieces[random() % std::size(pieces)];
        if (!resolve_plain(reference, base, href)) continue;
        ++resolved_quickly;
        const auto parsed = Url::parse(reference, &base);
        CAPTURE(reference);
        REQUIRE(parsed);
        REQUIRE(href == parsed->href());
    }
    CHECK(resolved_quickly > 5'000);
}
