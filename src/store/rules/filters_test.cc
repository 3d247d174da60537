// How a filter reads the URLs of pages.
#include "store/rules/filters.h"

#include <array>

#include <doctest/doctest.h>

namespace quarry::store {

TEST_CASE("a host means itself and its subdomains") {
    struct Row {
        const char* url;
        const char* host;
        bool is_of;
        const char* why;
    };
    constexpr std::array rows = {
        Row{"https://a.example/x", "a.example", true, "itself"},
        Row{"https://docs.a.example/x", "a.example", true, "a subdomain"},
        Row{"https://nota.example/x", "a.example", false, "another one that ends alike"},
        Row{"https://a.example.org/x", "a.example", false, "another one that begins alike"},
        Row{"https://a.example:8080/x", "a.example", true, "any port"},
        Row{"https://a.example:8080/x", "a.example:8080", true, "that port"},
        Row{"https://a.example:80/x", "a.example:8080", false, "another port"},
        Row{"https://a.example/x", "a.example:8080", false, "no port"},
        Row{"https://me:word@a.example/x", "a.example", true, "credentials"},
        Row{"https://b.example/?q=//a.example", "a.example", false, "only in the query"},
        Row{"https://a.example", "a.example", true, "no path"},
        Row{"https://a.example?x", "a.example", true, "a query and no path"},
        Row{"http://[::1]:80/x", "[::1]", true, "an IPv6 address"},
        Row{"http://[::1]:80/x", "[::1]:80", true, "and its port"},
        Row{"http://[::1]/x", "[::1]:80", false, "which it has not"},
        Row{"file:///a.example/x", "a.example", false, "a file has no host"},
        Row{"notes/a.example", "a.example", false, "no URL"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK(is_of_host(row.url, row.host) == row.is_of);
    }
}

TEST_CASE("a path prefix is compared with the path") {
    CHECK(has_path_prefix("https://a.example/guide/1", "/guide/"));
    CHECK(has_path_prefix("https://a.example/guide/1", "/"));
    CHECK_FALSE(has_path_prefix("https://a.example/x/guide/1", "/guide/"));
    CHECK_FALSE(has_path_prefix("https://a.example", "/"));
    CHECK(has_path_prefix("file:///home/me/notes.md", "/home/me/"));
    CHECK(has_path_prefix("notes/today.md", "notes/"));
}

}  // namespace quarry::store
