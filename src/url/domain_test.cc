#include "url/domain.h"

#include <fstream>
#include <string>

#include <doctest/doctest.h>

#include "url/url.h"

using namespace quarry::url;

TEST_CASE("the registrable domain is one label below the public suffix") {
    CHECK(registrable_domain("www.example.com") == "example.com");
    CHECK(registrable_domain("example.com") == "example.com");
    CHECK(registrable_domain("a.b.example.co.uk") == "example.co.uk");
    CHECK(registrable_domain("someone.github.io") == "someone.github.io");
    CHECK(registrable_domain("www.example.com.") == "example.com");
    CHECK(registrable_domain("www.example.unlisted") == "example.unlisted");
    CHECK(registrable_domain("www.city.kawasaki.jp") == "city.kawasaki.jp");
}

TEST_CASE("addresses, suffixes and malformed names have no registrable domain") {
    for (const char* host :
         {"", ".", "com", "co.uk", "localhost", "127.0.0.1", "[::1]", ".example.com", "a..com"}) {
        CAPTURE(host);
        CHECK(registrable_domain(host) == "");
    }
}

TEST_CASE("public suffixes are told from domains") {
    for (const char* host : {"com", "co.uk", "github.io", "unlisted", "com."}) CHECK(is_public_suffix(host));
    for (const char* host : {"", "example.com", "10.0.0.1", "[::1]"}) CHECK_FALSE(is_public_suffix(host));
}

namespace {

// The text between the first quotes at or behind `from`; moves `from` behind them. "" for `null`.
std::string next_argument(const std::string& line, std::size_t& from) {
    const std::size_t start = line.find_first_of("'n", from);
    if (line[start] == 'n') return "";
    const std::size_t end = line.find('\'', start + 1);
    from = end + 1;
    return line.substr(start + 1, end - start - 1);
}

std::string host_of(const std::string& name) {
    const auto url = Url::parse("http://" + name + "/");
    return url ? std::string(url->host()) : "";
}

}  // namespace

TEST_CASE("the public suffix list's own cases hold") {
    std::ifstream file(QUARRY_SUITES "/suites/psl/test_psl.txt");
    if (!file) {
        MESSAGE("skipped: no " QUARRY_SUITES "/suites/psl/test_psl.txt");
        return;
    }
    int checked = 0;
    for (std::string line; std::getline(file, line);) {
        const std::string call = "checkPublicSuffix(";
        if (!line.starts_with(call)) continue;
        std::size_t from = call.size();
        const std::string name = next_argument(line, from);
        from = line.find(',', call.size());
        const std::string expected = next_argument(line, from);
        CAPTURE(line);
        CHECK(registrable_domain(host_of(name)) == (expected.empty() ? "" : host_of(expected)));
        ++checked;
    }
    CHECK(checked > 70);
}
