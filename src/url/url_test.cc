#include "url/url.h"

#include <string>

#include <doctest/doctest.h>

using quarry::ErrorCode;
using quarry::url::Url;

namespace {

struct Row {
    const char* input;
    const char* expected;  // nullptr: refused
};

void check_rows(std::initializer_list<Row> rows, const char* base = nullptr) {
    std::optional<Url> base_url;
    if (base != nullptr) base_url = Url::parse(base).value();
    for (const Row& row : rows) {
        CAPTURE(row.input);
        const auto url = Url::parse(row.input, base_url ? &*base_url : nullptr);
        REQUIRE(url.has_value() == (row.expected != nullptr));
        if (url) CHECK(url->href() == row.expected);
    }
}

}  // namespace

TEST_CASE("the parts of a URL can be read") {
    const Url url = Url::parse("HTTPS://user:p%20w@Example.COM:8443/a/./b/../c?x=1#top").value();

    CHECK(url.href() == "https://user:p%20w@example.com:8443/a/c?x=1#top");
    CHECK(url.scheme() == "https");
    CHECK(url.username() == "user");
    CHECK(url.password() == "p%20w");
    CHECK(url.host() == "example.com");
    CHECK(url.port() == 8443);
    CHECK(url.path() == "/a/c");
    CHECK(url.query() == "x=1");
    CHECK(url.fragment() == "top");
    CHECK(url.effective_port() == 8443);
    CHECK(url.origin() == "https://example.com:8443");
    CHECK(url.without_fragment() == "https://user:p%20w@example.com:8443/a/c?x=1");
    CHECK(url.without_credentials() == "https://example.com:8443/a/c?x=1#top");
}

TEST_CASE("the parts of a URL that has almost none are empty or absent") {
    const Url url = Url::parse("mailto:someone@a.example").value();

    CHECK(url.has_opaque_path());
    CHECK_FALSE(url.has_host());
    CHECK_FALSE(url.is_http());
    CHECK(url.host() == "");
    CHECK(url.username() == "");
    CHECK(url.password() == "");
    CHECK(url.path() == "someone@a.example");
    CHECK_FALSE(url.port());
    CHECK(url.effective_port() == 0);
    CHECK_FALSE(url.query());
    CHECK_FALSE(url.fragment());
    CHECK(url.origin() == "null");
    CHECK(url.without_credentials() == url.href());
}

TEST_CASE("an empty query or fragment is not the same as none") {
    CHECK(Url::parse("https://a.example/?#").value().query() == "");
    CHECK(Url::parse("https://a.example/?#").value().fragment() == "");
    CHECK_FALSE(Url::parse("https://a.example/").value().query());
}

TEST_CASE("absolute URLs are normalised") {
    check_rows({
        {"http://a.example", "http://a.example/"},
        {"  http://a.example/\t\n ", "http://a.example/"},
        {"ht\ntp://a.exa\tmple/x\r\ny", "http://a.example/xy"},
        {"http:\\\\a.example\\b", "http://a.example/b"},  // backslashes are slashes
        {"https:a.example/x", "https://a.example/x"},
        {"https:////a.example/x", "https://a.example/x"},
        {"http://a.example:80/", "http://a.example/"},
        {"https://a.example:0443/", "https://a.example/"},
        {"https://a.example:/", "https://a.example/"},
        {"http://a.example:443/", "http://a.example:443/"},
        {"http://a@b@c.example/", "http://a%40b@c.example/"},
        {"http://:@a.example/", "http://a.example/"},
        {"http://:x@a.example/", "http://:x@a.example/"},
        {"http://a.example/a b?c d#e f", "http://a.example/a%20b?c%20d#e%20f"},
        {"http://a.example/ü?ü#ü", "http://a.example/%C3%BC?%C3%BC#%C3%BC"},
        {"http://a.example/\xff", "http://a.example/%EF%BF%BD"},
        {"http://a.example/%zz%41", "http://a.example/%zz%41"},  // never decoded, never doubly encoded
        {"http://a.example/a/%2e%2E/b/.%2e/c/%2e", "http://a.example/c/"},
        {"http://a.example/../../x", "http://a.example/x"},
        {"http://a.example/a//../b", "http://a.example/a/b"},
        {"http://a.example/...", "http://a.example/..."},
        {"http://a.example?'", "http://a.example/?%27"},
        {"custom://a.example?'", "custom://a.example?'"},
        {"custom://A b/", nullptr},
        {"custom://A%20\xc3\xbc/", "custom://A%20%C3%BC/"},
        {"custom:/a/../..//b", "custom:/.//b"},
        {"custom:a/../b", "custom:a/../b"},
        {"data:text/plain, x ?y", "data:text/plain, x%20?y"},
        {"javascript:alert(1) ", "javascript:alert(1)"},
    });
}

TEST_CASE("hosts are one spelling of a name or an address, or refused") {
    check_rows({
        {"http://BÜCHER.example/", "http://xn--bcher-kva.example/"},
        {"http://b%C3%BCcher.example/", "http://xn--bcher-kva.example/"},
        {"http://a%2eexample/", "http://a.example/"},
        {"http://ａ.example/", "http://a.example/"},  // full-width a
        {"http://xn--a/", "http://xn--a/"},
        {"http://STRAẞE.example/", "http://xn--strae-oqa.example/"},  // newer than ICU 72
        {"http://Ⴀ.example/", "http://xn--rkj.example/"},             // likewise
        {"http://a\u180Eb.example/", "http://ab.example/"},           // likewise
        {"http://127.1/", "http://127.0.0.1/"},
        {"http://０x7F.1/", "http://127.0.0.1/"},
        {"http://[::FFFF:127.0.0.1]/", "http://[::ffff:7f00:1]/"},
        {"http://[::1]:8080/", "http://[::1]:8080/"},
        {"http://127.0.0.1:21760\\@evil.example/ok", "http://127.0.0.1:21760/@evil.example/ok"},
        {"http://a.example#@evil.example/", "http://a.example/#@evil.example/"},
        {"http://a_b.example/", "http://a_b.example/"},
        {"http://a.example./", "http://a.example./"},
        {"http://", nullptr},
        {"http:///", nullptr},
        {"http://user@/", nullptr},
        {"http://:80/", nullptr},
        {"http://a b/", nullptr},
        {"http://a%00b/", nullptr},
        {"http://a%2Fb/", nullptr},
        {"http://a<b/", nullptr},
        {"http://\xc2\xad/", nullptr},  // a soft hyphen is nothing
        {"http://\xff.example/", nullptr},
        {"http://1.2.3.4.5/", nullptr},
        {"http://256.256.256.256/", nullptr},
        {"http://[::1/", nullptr},
        {"http://[::1%25eth0]/", nullptr},
        {"http://a.example:65536/", nullptr},
        {"http://a.example:8a/", nullptr},
        {"http://a.example:99999999999999999999/", nullptr},
    });
}

TEST_CASE("text without a scheme is no URL by itself") {
    check_rows({{"", nullptr}, {"a.example", nullptr}, {"//a.example/", nullptr}, {"1http://a/", nullptr}});
}

TEST_CASE("relative URLs are resolved against an http base") {
    check_rows(
        {
            {"", "http://u:p@a.example:81/b/c?q"},
            {"#f", "http://u:p@a.example:81/b/c?q#f"},
            {"?r", "http://u:p@a.example:81/b/c?r"},
            {"d", "http://u:p@a.example:81/b/d"},
            {"./d/", "http://u:p@a.example:81/b/d/"},
            {"../d", "http://u:p@a.example:81/d"},
            {"../../../d", "http://u:p@a.example:81/d"},
            {".", "http://u:p@a.example:81/b/"},
            {"/d", "http://u:p@a.example:81/d"},
            {"\\d", "http://u:p@a.example:81/d"},
            {"//b.example/d", "http://b.example/d"},
            {"\\\\b.example", "http://b.example/"},
            {"///b.example", "http://b.example/"},
            {"http:d", "http://u:p@a.example:81/b/d"},
            {"https:d", "https://d/"},
            {"HTTP:/d", "http://u:p@a.example:81/d"},
            {"mailto:x", "mailto:x"},
            {"//", nullptr},
        },
        "http://u:p@a.example:81/b/c?q#old");
}

TEST_CASE("relative URLs are resolved against bases of other schemes") {
    check_rows({{"#f", "mailto:x?q#f"}, {"y", nullptr}, {"", nullptr}, {"?q", nullptr}}, "mailto:x?q");
    check_rows({{"../d", "custom://h/d"}, {"//i", "custom://i"}, {"\\d", "custom://h/b/\\d"}},
               "custom://h/b/c");
    check_rows({{"x", "custom:/.//x"}, {"/x", "custom:/x"}, {"", "custom:/.//p"}}, "custom:/.//p");
}

TEST_CASE("file URLs keep their drive letters and know no localhost") {
    check_rows({
        {"file:", "file:///"},
        {"file:a", "file:///a"},
        {"file:/a", "file:///a"},
        {"file://localhost/a", "file:///a"},
        {"file://h/a", "file://h/a"},
        {"file:///C|/a/../..", "file:///C:/"},
        {"file://C:/a", "file:///C:/a"},
        {"file:c|", "file:///c:"},
        {"file://h:80/", nullptr},
    });
    check_rows(
        {
            {"/d", "file:///C:/d"},
            {"/D:/d", "file:///D:/d"},
            {"D|\\d", "file:///D:/d"},
            {"..", "file:///C:/"},
            {"//h/d", "file://h/d"},
            {"?q", "file:///C:/a/b?q"},
            {"", "file:///C:/a/b"},
        },
        "file:///C:/a/b");
}

TEST_CASE("a blob has the origin of the URL inside it") {
    CHECK(Url::parse("blob:https://a.example:8443/uuid").value().origin() == "https://a.example:8443");
    CHECK(Url::parse("blob:blob:https://a.example/").value().origin() == "null");
    CHECK(Url::parse("file:///x").value().origin() == "null");
}

TEST_CASE("an error says what is wrong and hides what may be a password") {
    const auto error = Url::parse("https://user:secret@exa mple/").error();

    CHECK(error.code == ErrorCode::invalid_argument);
    CHECK(error.message == "Invalid URL \"https://***@exa mple/\": the host has a forbidden character");
}

TEST_CASE("an error shows only the beginning of a long URL, and no long password either") {
    const std::string message =
        Url::parse("https://u:" + std::string(500, 'p') + "@a b/" + std::string(500, 'x')).error().message;

    CHECK(message.size() < 300);
    CHECK(message.starts_with("Invalid URL \"https://***@a b/xxx"));
}

TEST_CASE("a URL over the limit is refused, one at the limit is read") {
    const std::string prefix = "https://a.example/";
    const std::string fits = prefix + std::string(quarry::url::max_url_bytes - prefix.size(), 'x');

    CHECK(Url::parse(fits).value().href().size() == fits.size());
    CHECK(Url::parse(fits + "x").error().code == ErrorCode::too_large);
    CHECK(Url::parse(prefix + std::string(400'000, ' ') + "x").error().code == ErrorCode::too_large);
}

TEST_CASE("the longest inputs of the awkward kinds still end at once") {
    const auto repeated = [](const char* text, std::size_t bytes) {
        std::string result;
        while (result.size() < bytes) result += text;
        return result;
    };
    constexpr std::size_t size = 1'000'000;

    CHECK(Url::parse("http://a.example/" + repeated("a/../", size)).value().path() == "/");
    CHECK(Url::parse("http://" + repeated("@", size / 4) + "a.example/").value().host() == "a.example");
    CHECK_FALSE(Url::parse("http://" + repeated("ü", size) + "/"));
    CHECK_FALSE(Url::parse("http://" + repeated("1.", size) + "/"));
    CHECK_FALSE(Url::parse("http://a.example:" + repeated("1", size) + "/"));
}
