#include "crawl/url_identity.h"

#include <string>

#include <doctest/doctest.h>
#include <xxhash.h>

#include "url/canonical.h"

using namespace quarry;
using namespace quarry::crawl;

namespace {

UrlKey key_of(const std::string& text, IdentityRules rules = {}) {
    return url_key(url::Url::parse(text).value(), rules);
}

struct Pair {
    const char *one, *other, *why;
};

}  // namespace

TEST_CASE("spellings of one page have one key") {
    const Pair pairs[] = {
        {"http://a.example/x", "https://a.example/x", "the scheme"},
        {"https://www.a.example/x", "https://a.example/x", "www."},
        {"https://A.EXAMPLE/x", "https://a.example/x", "letter case of the host"},
        {"https://a.example:443/x", "http://a.example:80/x", "default ports"},
        {"https://a.example", "https://a.example/", "no path"},
        {"https://a.example/x/", "https://a.example/x", "a slash at the end"},
        {"https://a.example//x///y", "https://a.example/x/y", "doubled slashes"},
        {"https://a.example/x/index.html", "https://a.example/x/", "index.html"},
        {"https://a.example/x/index.htm", "https://a.example/x", "index.htm"},
        {"https://a.example/index.php", "https://a.example/", "index.php"},
        {"https://a.example/Default.aspx", "https://a.example/default.aspx", "default.aspx"},
        {"https://a.example/index.php?a=1", "https://a.example/?a=1", "index.php with a query"},
        {"https://a.example/x#part", "https://a.example/x", "a fragment"},
        {"https://a.example/x#/route", "https://a.example/x", "a fragment that is a route"},
        {"https://me:secret@a.example/x", "https://a.example/x", "credentials"},
        {"https://a.example/%7ejoe", "https://a.example/~joe", "needless percent-encoding"},
        {"https://a.example/%c3%a9", "https://a.example/%C3%A9", "letter case of escapes"},
        {"https://a.example/x?a=%41", "https://a.example/x?a=A", "needless percent-encoding in a query"},
        {"https://a.example/x?", "https://a.example/x", "an empty query"},
        {"https://a.example/x?utm_source=mail&a=1", "https://a.example/x?a=1", "tracking parameters"},
        {"https://a.example/x?gclid=1", "https://a.example/x", "nothing but tracking"},
        {"https://a.example/x;jsessionid=0A1B?a=1", "https://a.example/x?a=1", "a session in the path"},
        {"https://a.example/x;JSESSIONID=0A1B/y", "https://a.example/x/y", "a session inside the path"},
        {"https://a.example/x?PHPSESSID=1&a=1", "https://a.example/x?a=1", "a session as a parameter"},
        {"https://a.example/x?ASPSESSIONIDQQBBRTDA=Z", "https://a.example/x", "ASP's session"},
        {"https://a.example/x?a=1&sid=0123456789abcdef", "https://a.example/x?a=1",
         "a sid that looks random"},
        {"https://a.example/%7ejoe/index.html?utm_id=1", "https://a.example/~joe", "several at once"},
    };
    for (const Pair& pair : pairs) {
        CAPTURE(std::string(pair.why));
        CHECK(key_of(pair.one) == key_of(pair.other));
    }
}

TEST_CASE("different pages have different keys") {
    const Pair pairs[] = {
        {"https://a.example/x", "https://a.example/X", "letter case of the path"},
        {"https://a.example/x", "https://a.example:8443/x", "another port"},
        {"https://a.example/x", "https://b.example/x", "another host"},
        {"https://a.example/x", "https://docs.a.example/x", "a subdomain other than www"},
        {"https://www.com/", "https://com/", "www. is not taken off a name without another dot"},
        {"https://a.example/x?a=1&b=2", "https://a.example/x?b=2&a=1", "the order of parameters"},
        {"https://a.example/x?a=1", "https://a.example/x?a=2", "a value"},
        {"https://a.example/x?a", "https://a.example/x?a=", "an empty value"},
        {"https://a.example/x?a?", "https://a.example/x?a", "a question mark at the end"},
        {"https://a.example/a%2Fb", "https://a.example/a/b", "an encoded slash"},
        {"https://a.example/x?sid=42", "https://a.example/x", "a sid that is a story's"},
        {"https://a.example/x?s=internationalisation", "https://a.example/x", "a search"},
        {"https://a.example/Index.html", "https://a.example/", "a file that merely looks like an index"},
        {"https://a.example/index.html5", "https://a.example/", "a longer name"},
        {"https://a.example/myindex.html", "https://a.example/", "a longer name in front"},
        {"https://a.example/x;v=1", "https://a.example/x", "parameters of the path"},
        {"https://a.example/x;jsessionidx=1", "https://a.example/x", "another parameter of the path"},
        {"mailto:a@a.example", "mailto:b@a.example", "what is no http"},
    };
    for (const Pair& pair : pairs) {
        CAPTURE(std::string(pair.why));
        CHECK(key_of(pair.one) != key_of(pair.other));
    }
}

TEST_CASE("without folding a key is the hash of the canonical form") {
    const char* urls[] = {
        "https://www.a.example/x/index.html",
        "http://a.example//b/?q=1&utm_source=x&r=2#part",
        "https://a.example:8443/%7ejoe?x=%41",
        "https://a.example/?",
        "https://a.example/?&",
        "https://a.example/?a?",
        "https://u:p@a.example/?gclid=1",
        "http://[::1]:8080/a",
        "mailto:a@a.example",
        "https://a.example/?gclid=1&",
        "https://a.example/x?PHPSESSID=1",
        "http://a.example/x;jsessionid=1",
    };
    for (const char* text : urls) {
        CAPTURE(std::string(text));
        const url::Url url = url::Url::parse(text).value();
        const std::string canonical = url::canonical(url);

        const UrlKey key = url_key(url, {.fold_similar = false});

        const XXH128_hash_t hash = XXH3_128bits(canonical.data(), canonical.size());
        CHECK(key.high == hash.high64);
        CHECK(key.low == hash.low64);
    }
}

TEST_CASE("queries make no difference when they are to be ignored") {
    const IdentityRules rules{.ignore_query = true};
    CHECK(key_of("https://a.example/x?a=1", rules) == key_of("https://a.example/x?b=2", rules));
    CHECK(key_of("https://a.example/x?a=1", rules) == key_of("https://a.example/x", rules));
    CHECK(key_of("https://a.example/x?a=%41", rules) == key_of("https://a.example/x", rules));
    CHECK(key_of("https://a.example/x?a=1", rules) != key_of("https://a.example/y?a=1", rules));
}

TEST_CASE("the rules follow from the crawl's options") {
    CrawlOptions options;
    CHECK(identity_rules(options).fold_similar);
    CHECK_FALSE(identity_rules(options).ignore_query);
    options.deduplicate_similar_urls = false;
    options.ignore_query_parameters = true;
    CHECK_FALSE(identity_rules(options).fold_similar);
    CHECK(identity_rules(options).ignore_query);
}

TEST_CASE("a page that was named and is read otherwise is another page") {
    CrawlOptions plain{.kind = "scrape"};
    CrawlOptions other = plain;
    const auto key_with = [](const CrawlOptions& options) {
        return key_of("https://a.example/x", identity_rules(options));
    };

    CHECK(key_with(plain) == key_with(CrawlOptions{}));
    other.formats.html = true;
    CHECK(key_with(other) == key_with(plain));
    other.include_tags = {"p"};
    CHECK(key_with(other) != key_with(plain));
    other.kind = "crawl";
    CHECK(key_with(other) == key_with(plain));
    for (const CrawlOptions& options : {CrawlOptions{.kind = "scrape", .full_page = true},
                                        CrawlOptions{.kind = "scrape", .headers = {{"Cookie", "a=b"}}},
                                        CrawlOptions{.kind = "scrape", .exclude_tags = {"p"}},
                                        CrawlOptions{.kind = "scrape", .attributes = {{"a", "href"}}},
                                        CrawlOptions{.kind = "scrape", .change_tag = "daily"}})
        CHECK(key_with(options) != key_with(plain));
}

TEST_CASE("politeness is kept per host and port, and http and https share it") {
    const auto key = [](const char* text) { return host_key(url::Url::parse(text).value()); };
    CHECK(key("https://Docs.a.example/x") == "docs.a.example");
    CHECK(key("http://docs.a.example:80/") == "docs.a.example");
    CHECK(key("http://docs.a.example:8080/") == "docs.a.example:8080");
    CHECK(key("http://[::1]:8080/") == "[::1]:8080");
    CHECK(key("https://www.a.example/") == "www.a.example");
}
