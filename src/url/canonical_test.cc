#include "url/canonical.h"

#include <string>

#include <doctest/doctest.h>

using namespace quarry::url;

namespace {

std::string canonical_of(std::string_view text) {
    return canonical(Url::parse(text).value());
}

}  // namespace

TEST_CASE("what does not change the page is left out of its canonical form") {
    struct Row {
        const char* input;
        const char* expected;
        const char* reason;
    };
    const Row rows[] = {
        {"HTTP://A.Example:80", "http://a.example/", "the parser's own work"},
        {"http://a.example/b/../c", "http://a.example/c", "dot segments"},
        {"http://a.example/#part", "http://a.example/", "a place on the page"},
        {"http://a.example/#", "http://a.example/", "an empty fragment"},
        {"http://a.example/x#/", "http://a.example/x", "the script's start page"},
        {"http://a.example/x#!/", "http://a.example/x", "the script's start page"},
        {"http://a.example/x#!", "http://a.example/x", "the script's start page"},
        {"http://a.example/x#:~:text=y", "http://a.example/x", "a directive to the browser"},
        {"http://u:p@a.example/", "http://a.example/", "credentials"},
        {"http://a.example/?", "http://a.example/", "an empty query"},
        {"http://a.example/?utm_source=x&UTM_Medium=y", "http://a.example/", "only tracking"},
        {"http://a.example/?utm%5Fsource=x", "http://a.example/", "an encoded name"},
        {"http://a.example/?a=1&gclid=x&b=2&fbclid", "http://a.example/?a=1&b=2", "tracking between"},
        {"http://a.example/?fbclid=1&a", "http://a.example/?a", "tracking first"},
        {"http://a.example/%7euser/%e4%bd%a0?q=%41%2f", "http://a.example/~user/%E4%BD%A0?q=A%2F",
         "hex case"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.reason);
        CHECK(canonical_of(row.input) == row.expected);
    }
}

TEST_CASE("what may change the page stays in its canonical form") {
    for (const char* text : {
             "http://a.example/index.html",  "http://a.example/x/",          "http://www.a.example/",
             "http://a.example/?b=2&a=1",    "http://a.example/?a=1&a=1",    "http://a.example/?a=&b",
             "http://a.example/?a&&b&",      "http://a.example/?ref=x",      "http://a.example/a%2Fb",
             "http://a.example/%",           "http://a.example/%zz",         "http://a.example/a+b?c+d",
             "http://a.example/x#/a",        "http://a.example/x#!/a",       "http://a.example/x#!a=1",
             "http://a.example/?utmost=1",   "http://a.example:8080/",       "http://a.example//x",
             "http://a.example/?q=utm_id=1", "http://a.example/?a;utm_id=1",
         }) {
        CHECK(canonical_of(text) == text);
    }
}

TEST_CASE("a canonical form is its own canonical form") {
    for (const char* text :
         {"http://a.example/%2541?%2541=%25", "http://a.example/%2%65", "http://a.example/?%26a&utm_id"}) {
        const std::string once = canonical_of(text);
        CHECK(canonical_of(once) == once);
    }
}

TEST_CASE("URLs that are not http only lose their fragment") {
    CHECK(canonical_of("file:///a?utm_source=x#y") == "file:///a?utm_source=x");
    CHECK(canonical_of("mailto:a@b.example#x") == "mailto:a@b.example");
}
