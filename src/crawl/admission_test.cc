#include "crawl/admission.h"

#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace quarry;
using namespace quarry::crawl;

namespace {

// A crawl of https://a.example/docs/ unless told otherwise.
struct Crawl {
    explicit Crawl(CrawlOptions given = {}, Admission::Config config = {})
        : options(std::move(given)),
          scope(Scope::create(with_url(options)).value()),
          judge(scope, identity_rules(options)),
          admission(judge, std::move(config)) {}

    static CrawlOptions& with_url(CrawlOptions& options) {
        if (options.urls.empty()) options.urls = {"https://a.example/docs/"};
        return options;
    }

    Admitted page(const Document& document, const char* url = "https://a.example/docs/page", int depth = 1) {
        return admission.from_page(document, url::Url::parse(url).value(), depth);
    }

    CrawlOptions options;
    Scope scope;
    LinkJudge judge;
    Admission admission;
};

Document with_links(const std::vector<std::string>& urls) {
    Document document;
    for (const std::string& url : urls) document.links.push_back({.url = url});
    return document;
}

std::vector<std::string> urls_of(const Admitted& admitted) {
    std::vector<std::string> urls;
    for (const FoundUrl& found : admitted.found) urls.push_back(found.url);
    return urls;
}

int refused(const Admitted& admitted, Belongs reason) {
    return admitted.refused[static_cast<std::size_t>(reason)];
}

using Urls = std::vector<std::string>;

}  // namespace

TEST_CASE("links that belong are found with all the frontier needs") {
    Crawl crawl;

    const Admitted admitted = crawl.page(with_links({"https://A.example:443/docs/x?y=1#z"}));

    REQUIRE(admitted.found.size() == 1);
    const FoundUrl& found = admitted.found[0];
    CHECK(found.url == "https://a.example/docs/x?y=1");
    CHECK(found.key == url_key(url::Url::parse("https://a.example/docs/x?y=1").value(), {}));
    CHECK(found.host == "a.example");
    CHECK(found.depth == 2);
    CHECK(found.redirects == 0);
    CHECK(found.source == UrlSource::link);
}

TEST_CASE("what does not belong is counted by its reason") {
    Crawl crawl({.exclude_paths = {"secret"}});

    const Admitted admitted = crawl.page(with_links({
        "https://a.example/docs/x",
        "https://b.example/docs/x",
        "https://a.example/x",
        "https://a.example/docs/x.png",
        "https://a.example/docs/secret",
        "https://a.example/docs/a/b/a/b/a/b",
        "mailto:me@a.example",
        "not a url",
    }));

    CHECK(urls_of(admitted) == Urls{"https://a.example/docs/x"});
    CHECK(refused(admitted, Belongs::other_host) == 1);
    CHECK(refused(admitted, Belongs::other_path) == 1);
    CHECK(refused(admitted, Belongs::unlikely_page) == 1);
    CHECK(refused(admitted, Belongs::excluded) == 1);
    CHECK(refused(admitted, Belongs::trap) == 1);
    CHECK(refused(admitted, Belongs::not_http) == 2);
}

TEST_CASE("links to the page itself and repeated links are dropped, whatever their spelling") {
    Crawl crawl;

    const Admitted admitted = crawl.page(with_links({
        "https://a.example/docs/page",
        "http://www.a.example/docs/page/#part",
        "https://a.example/docs/x",
        "https://a.example/docs/x/",
        "https://a.example/docs/x/index.html",
        "https://a.example/docs/x#y",
        "https://a.example/docs/z",
    }));

    CHECK(urls_of(admitted) == Urls{"https://a.example/docs/x", "https://a.example/docs/z"});
    CHECK(admitted.repeated == 5);
}

TEST_CASE("what the crawl knows already is dropped") {
    const UrlKey known = url_key(url::Url::parse("https://a.example/docs/x").value(), {});
    Crawl crawl({}, {.known = [&](const UrlKey& key) { return key == known; }});

    const Admitted admitted =
        crawl.page(with_links({"https://a.example/docs/x/", "https://a.example/docs/y"}));

    CHECK(urls_of(admitted) == Urls{"https://a.example/docs/y"});
    CHECK(admitted.known == 1);
}

TEST_CASE("nofollow is honoured on a link and on a page") {
    Document document = with_links({"https://a.example/docs/x", "https://a.example/docs/y"});
    document.links[0].nofollow = true;
    Crawl crawl;

    const Admitted one = crawl.page(document);
    CHECK(urls_of(one) == Urls{"https://a.example/docs/y"});
    CHECK(one.nofollow == 1);

    document.metadata.robots.nofollow = true;
    document.frames.push_back({.url = "https://a.example/docs/frame"});
    const Admitted none = crawl.page(document);
    CHECK(none.found.empty());
    CHECK(none.nofollow == 3);

    Crawl rude({}, {.ignore_robots = true});
    CHECK(rude.page(document).found.size() == 3);
}

TEST_CASE("frames count as links") {
    Document document = with_links({"https://a.example/docs/x"});
    document.frames = {{.url = "https://a.example/docs/frame"}, {.url = "https://a.example/docs/x"}};
    Crawl crawl;
    CHECK(urls_of(crawl.page(document)) == Urls{"https://a.example/docs/x", "https://a.example/docs/frame"});
}

TEST_CASE("links from the deepest pages are too deep, except to seeds") {
    Crawl crawl({.urls = {"https://a.example/docs/"}, .max_depth = 2});
    const Document document = with_links({"https://a.example/docs/x", "https://a.example/docs/"});

    CHECK(crawl.page(document, "https://a.example/docs/p", 1).found.size() == 2);
    const Admitted deep = crawl.page(document, "https://a.example/docs/q", 2);
    CHECK(urls_of(deep) == Urls{"https://a.example/docs/"});
    CHECK(refused(deep, Belongs::too_deep) == 1);
}

TEST_CASE("another site's links are followed only back home") {
    Crawl crawl({.external = true});
    const Document document =
        with_links({"https://b.example/x", "https://c.example/x", "https://a.example/docs/x"});

    CHECK(crawl.page(document).found.size() == 3);
    const Admitted outside = crawl.page(document, "https://b.example/page");
    CHECK(urls_of(outside) == Urls{"https://a.example/docs/x"});
    CHECK(refused(outside, Belongs::other_host) == 2);
}

TEST_CASE("a canonical URL counts if it is another one inside the scope") {
    struct Row {
        const char* canonical;
        bool counts;
        const char* why;
    };
    const Row rows[] = {
        {"https://a.example/docs/other", true, "another page"},
        {"https://a.example/docs/page?print=1", true, "another query"},
        {"https://a.example/docs/page/", false, "the page itself in another spelling"},
        {"https://b.example/docs/page", false, "a mirror's original is outside"},
        {"https://a.example/other", false, "outside the folder"},
        {"https://a.example/", false, "every page points to the home page"},
        {"", false, "none"},
        {"http://", false, "not a URL"},
    };
    for (const Row& row : rows) {
        CAPTURE(std::string(row.why));
        Document document;
        document.metadata.canonical = row.canonical;
        Crawl crawl;
        const auto canonical = crawl.page(document).canonical;
        CHECK(canonical.has_value() == row.counts);
        if (row.counts) CHECK(*canonical == url_key(url::Url::parse(row.canonical).value(), {}));
    }
}

TEST_CASE("a shape that has had enough is a trap") {
    Guarded<ShapeCounter> shapes(ShapeCounter({.by_parameters = {20, 20, 20, 20}}));
    Crawl crawl({}, {.shapes = &shapes});
    Urls urls;
    for (int i = 0; i < 500; ++i) urls.push_back("https://a.example/docs/list?page=" + std::to_string(i));

    const Admitted admitted = crawl.page(with_links(urls));

    CHECK(admitted.found.size() >= 20);
    CHECK(admitted.found.size() <= 100);
    CHECK(refused(admitted, Belongs::trap) == 500 - static_cast<int>(admitted.found.size()));
}

TEST_CASE("a list is admitted by the same rules") {
    Crawl crawl;
    const Urls urls{"https://a.example/docs/x", "https://a.example/docs/x/", "https://b.example/", "junk"};

    const Admitted admitted = crawl.admission.from_list(urls, UrlSource::sitemap, 1);

    REQUIRE(admitted.found.size() == 1);
    CHECK(admitted.found[0].source == UrlSource::sitemap);
    CHECK(admitted.found[0].depth == 1);
    CHECK(admitted.repeated == 1);
    CHECK(refused(admitted, Belongs::other_host) == 1);
    CHECK(refused(admitted, Belongs::not_http) == 1);
}

TEST_CASE("every seed is admitted from a list at depth 0") {
    Crawl crawl({.urls = {"https://a.example/x.zip", "https://b.example/?a&b&c&d&e&f&g&h&i"},
                 .list_only_seeds = true});
    CHECK(crawl.admission.from_list(crawl.options.urls, UrlSource::seed, 0).found.size() == 2);
}

TEST_CASE("remembering judgements changes none of them") {
    const Scope scope = Scope::create({.urls = {"https://a.example/docs/"}, .exclude_paths = {"7$"}}).value();
    LinkJudge remembering(scope, {}, 16), forgetful(scope, {}, 0);
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 200; ++i) {
            std::string link = i % 3 == 0 ? "https://a.example/docs/" : "https://b.example/";
            link += std::to_string(i);
            if (i % 50 == 0) link += std::string(300, 'x');
            const Judgement one = remembering.judge(link), other = forgetful.judge(link);
            CHECK(one.belongs == other.belongs);
            CHECK(one.key == other.key);
            CHECK(one.is_at_home == other.is_at_home);
        }
    }
}

TEST_CASE("a page with very many links is admitted in full, each once") {
    Crawl crawl;
    Urls urls;
    for (int i = 0; i < 20'000; ++i) urls.push_back("https://a.example/docs/" + std::to_string(i % 10'000));
    const Admitted admitted = crawl.page(with_links(urls));
    CHECK(admitted.found.size() == 10'000);
    CHECK(admitted.repeated == 10'000);
}
