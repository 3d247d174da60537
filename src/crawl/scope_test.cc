#include "crawl/scope.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace quarry;
using namespace quarry::crawl;

namespace {

Scope made(CrawlOptions options, const std::vector<std::string>& roots = {}) {
    auto scope = Scope::create(options, roots);
    REQUIRE_MESSAGE(scope, scope.error().message);
    return std::move(*scope);
}

struct Row {
    const char* url;
    Belongs expected;
    const char* why = "";
};

void check_rows(const Scope& scope, const std::vector<Row>& rows) {
    for (const Row& row : rows) {
        CAPTURE(std::string(row.url));
        CAPTURE(std::string(row.why));
        CHECK(name_of(scope.check(url::Url::parse(row.url).value(), 1)) == name_of(row.expected));
    }
}

}  // namespace

TEST_CASE("a crawl stays on its host and under its start's folder") {
    check_rows(made({.urls = {"https://a.example/docs/guide.html"}}),
               {
                   {"https://a.example/docs/", Belongs::yes},
                   {"https://a.example/docs", Belongs::yes, "leads to the folder"},
                   {"https://a.example/docs/x/y?z=1", Belongs::yes},
                   {"https://a.example/docs/guide.html#part", Belongs::yes},
                   {"http://www.a.example/docs/x", Belongs::yes, "www. and the scheme make no difference"},
                   {"https://a.example/doc%73/x", Belongs::yes, "needless percent-encoding"},
                   {"https://a.example/", Belongs::other_path},
                   {"https://a.example/docsx", Belongs::other_path},
                   {"https://a.example/docs-old/x", Belongs::other_path},
                   {"https://a.example/Docs/x", Belongs::other_path, "paths have letter case"},
                   {"https://a.example/docs/../x", Belongs::other_path},
                   {"https://a.example:8443/docs/x", Belongs::other_host, "another port"},
                   {"https://b.a.example/docs/x", Belongs::other_host},
                   {"https://a.example.evil.example/docs/x", Belongs::other_host},
                   {"https://b.example/docs/x", Belongs::other_host},
                   {"mailto:me@a.example", Belongs::not_http},
                   {"javascript:void(0)", Belongs::not_http},
                   {"ftp://a.example/docs/x", Belongs::not_http},
               });
}

TEST_CASE("the start's folder depends on how its path ends") {
    check_rows(made({.urls = {"https://a.example/docs"}}), {{"https://a.example/docs?x", Belongs::yes},
                                                            {"https://a.example/docs/x", Belongs::yes},
                                                            {"https://a.example/x", Belongs::other_path}});
    check_rows(made({.urls = {"https://a.example/docs/"}}),
               {{"https://a.example/docs/x", Belongs::yes}, {"https://a.example/x", Belongs::other_path}});
    check_rows(made({.urls = {"https://a.example/v1.2"}}),
               {{"https://a.example/v1.2/x", Belongs::yes}, {"https://a.example/x", Belongs::other_path}});
    check_rows(made({.urls = {"https://a.example/start.php?id=1"}}),
               {{"https://a.example/x/y", Belongs::yes}});
    check_rows(made({.urls = {"https://a.example"}}), {{"https://a.example/x/y", Belongs::yes}});
}

TEST_CASE("the whole host belongs when it is asked for") {
    check_rows(made({.urls = {"https://a.example/docs/"}, .entire_domain = true}),
               {{"https://a.example/", Belongs::yes},
                {"https://a.example/other/x", Belongs::yes},
                {"https://a.example:8443/", Belongs::other_host},
                {"https://b.a.example/", Belongs::other_host}});
}

TEST_CASE("subdomains are the hosts of the registrable domain, as a whole") {
    check_rows(
        made({.urls = {"https://docs.example.co.uk/guide/"}, .subdomains = true}),
        {{"https://example.co.uk/", Belongs::yes},
         {"https://a.b.example.co.uk/x", Belongs::yes},
         {"https://docs.example.co.uk/x", Belongs::other_path, "the start's own host keeps its folder"},
         {"https://notexample.co.uk/", Belongs::other_host},
         {"https://other.co.uk/", Belongs::other_host},
         {"https://a.example.co.uk:8443/", Belongs::other_host}});
    check_rows(made({.urls = {"https://joe.github.io/"}, .subdomains = true}),
               {{"https://ann.github.io/", Belongs::other_host, "everyone may register there"}});
    check_rows(
        made({.urls = {"https://amazonaws.com/"}, .subdomains = true}),
        {{"https://bucket.s3.amazonaws.com/", Belongs::other_host, "a public suffix below the domain"}});
    check_rows(made({.urls = {"http://127.0.0.1:8080/"}, .subdomains = true}),
               {{"http://127.0.0.1:8080/x", Belongs::yes}, {"http://127.0.0.2:8080/", Belongs::other_host}});
}

TEST_CASE("external links belong when they are asked for, and home stays home") {
    const Scope scope = made({.urls = {"https://a.example/docs/"}, .external = true});
    check_rows(scope, {{"https://b.example/x", Belongs::yes},
                       {"https://a.example/x", Belongs::other_path},
                       {"https://b.example/x.zip", Belongs::unlikely_page}});
    CHECK(scope.is_at_home(url::Url::parse("http://www.a.example/x").value()));
    CHECK_FALSE(scope.is_at_home(url::Url::parse("https://b.example/docs/").value()));
}

TEST_CASE("several seeds and the roots added later make one scope") {
    check_rows(made({.urls = {"https://a.example/b/", "https://a.example/c/", "https://d.example:81/",
                              "https://a.example/b/inner/", "https://a.example/b-x/"}},
                    {"https://e.example/f/"}),
               {{"https://a.example/b/x", Belongs::yes},
                {"https://a.example/b-x/x", Belongs::yes},
                {"https://a.example/c/x", Belongs::yes},
                {"https://a.example/b/inner/x", Belongs::yes},
                {"https://a.example/bb/x", Belongs::other_path},
                {"https://d.example:81/x", Belongs::yes},
                {"https://d.example/x", Belongs::other_host},
                {"https://e.example/f/x", Belongs::yes},
                {"https://e.example/x", Belongs::other_path}});
}

TEST_CASE("a wider seed takes over the folders inside it, in any order") {
    for (const bool wide_first : {true, false}) {
        std::vector<std::string> urls{"https://a.example/b/c/", "https://a.example/b/d/",
                                      "https://a.example/e/"};
        urls.insert(wide_first ? urls.begin() : urls.end(), "https://a.example/b/");
        check_rows(made({.urls = urls}), {{"https://a.example/b/x", Belongs::yes},
                                          {"https://a.example/b/d/x", Belongs::yes},
                                          {"https://a.example/e/x", Belongs::yes},
                                          {"https://a.example/x", Belongs::other_path}});
    }
}

TEST_CASE("expressions choose by path, and excluding beats including") {
    check_rows(made({.urls = {"https://a.example/"},
                     .include_paths = {"^/docs/", "^/api/"},
                     .exclude_paths = {"/internal/", "(?i)DRAFT"}}),
               {{"https://a.example/docs/x", Belongs::yes},
                {"https://a.example/api/x", Belongs::yes},
                {"https://a.example/x", Belongs::not_included},
                {"https://a.example/x?/docs/", Belongs::not_included, "the query is not the path"},
                {"https://a.example/docs/internal/x", Belongs::excluded},
                {"https://a.example/docs/draft", Belongs::excluded},
                {"https://a.example/", Belongs::yes, "the seed needs no match"}});
}

TEST_CASE("expressions look at the whole URL when asked to") {
    check_rows(made({.urls = {"https://a.example/"},
                     .include_paths = {"^https://a\\.example/.*[?]lang=en"},
                     .exclude_paths = {"print=1"},
                     .regex_on_full_url = true}),
               {{"https://a.example/x?lang=en", Belongs::yes},
                {"https://a.example/x?lang=de", Belongs::not_included},
                {"https://a.example/x?lang=en&print=1", Belongs::excluded},
                {"https://a.example/x#?lang=en", Belongs::not_included, "a fragment is not looked at"}});
}

TEST_CASE("depth is counted in links from the start") {
    const Scope scope = made({.urls = {"https://a.example/"}, .max_depth = 2});
    const url::Url url = url::Url::parse("https://a.example/x").value();
    CHECK(scope.check(url, 2) == Belongs::yes);
    CHECK(scope.check(url, 3) == Belongs::too_deep);
    CHECK(scope.check(url::Url::parse("https://a.example/").value(), 3) == Belongs::yes);
    CHECK(scope.check(url::Url::parse("https://b.example/").value(), 3) == Belongs::other_host);
    CHECK(made({.urls = {"https://a.example/"}}).check(url, 1'000'000) == Belongs::yes);
}

TEST_CASE("a batch is its seeds and nothing else") {
    const Scope scope =
        made({.urls = {"https://a.example/x", "https://b.example/y.zip"}, .list_only_seeds = true});
    check_rows(scope, {{"https://a.example/x/z", Belongs::too_deep},
                       {"https://b.example/y.zip", Belongs::yes},
                       {"https://c.example/", Belongs::other_host}});
}

TEST_CASE("a seed belongs whatever it looks like") {
    check_rows(
        made({.urls = {"https://a.example/a/b/a/b/a/b/x.zip"}, .max_depth = 0, .exclude_paths = {"zip"}}),
        {{"https://a.example/a/b/a/b/a/b/x.zip", Belongs::yes},
         {"https://a.example/a/b/a/b/a/b/x.zip#y", Belongs::yes},
         {"https://a.example/a/b/a/b/a/b/y.zip", Belongs::unlikely_page}});
}

TEST_CASE("traps and files that are no pages stay outside") {
    check_rows(made({.urls = {"https://a.example/"}}),
               {{"https://a.example/a/b/a/b/a/b", Belongs::trap},
                {"https://a.example/logo.PNG", Belongs::unlikely_page},
                {"https://a.example/logo.png?v=2", Belongs::unlikely_page},
                {"https://a.example/x?file=logo.png", Belongs::yes}});
}

TEST_CASE("what cannot be a scope is refused") {
    CHECK_FALSE(Scope::create({.urls = {"https://a.example/"}, .include_paths = {"("}}));
    CHECK_FALSE(Scope::create({.urls = {"ftp://a.example/"}}));
    CHECK_FALSE(Scope::create({.urls = {"nothing"}}));
}

TEST_CASE("an extension tells pages from other files") {
    for (const char* path :
         {"/a.html", "/a.PHP", "/a.pdf", "/a.txt", "/a.md", "/a.json", "/a.xml", "/x.zip/a.html"}) {
        CAPTURE(std::string(path));
        CHECK(file_kind(path) == FileKind::page);
    }
    for (const char* path : {"/a.png", "/a.JPEG", "/a.tar.gz", "/a.css", "/a.js", "/a.woff2", "/a.mp4",
                             "/a.exe", "/a.docx", "/.png"}) {
        CAPTURE(std::string(path));
        CHECK(file_kind(path) == FileKind::other);
    }
    for (const char* path : {"/", "", "/a", "/a.b/c", "/v1.2", "/example.com", "/a.png/",
                             "/a.verylongextension", "/pandas.Series.map", "/open.ai", "/a."}) {
        CAPTURE(std::string(path));
        CHECK(file_kind(path) == FileKind::unknown);
    }
    CHECK(file_kind("/wiki/File:Map.png") == FileKind::page);
}
