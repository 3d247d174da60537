#include "work/site/map_site.h"

#include <map>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "servers/hostile_server.h"

using namespace quarry;
using namespace quarry::work;
using namespace std::chrono_literals;
using test::Connection;
using test::HostileServer;
using test::ServerRequest;

namespace {

struct Fixture {
    HostileServer server;
    std::unique_ptr<net::HttpClient> client = net::HttpClient::open({}).value();
    fetch::Fetcher fetcher{*client, {.retry = {.max_retries = 0, .base = 0ms}}};

    void serve(const std::string& path, const std::string& content_type, const std::string& body) {
        server.on(path, [=](const ServerRequest&, Connection& connection) {
            connection.respond(200, {{"Content-Type", content_type}}, body);
        });
    }
    void serve_page(const std::string& path, const std::string& html) { serve(path, "text/html", html); }

    SiteMap map(const MapOptions& options = {}, std::string_view path = "/") {
        return map_site({.fetcher = fetcher, .policy = {.allow_private = true}}, server.url(path), options);
    }
    // One line for each page found: the path for a page on the server, the whole URL for any other.
    std::string listed(const SiteMap& site_map) const {
        std::string text;
        const std::string origin = server.url("");
        for (const FoundPage& page : site_map.links) {
            text += page.url.starts_with(origin) ? page.url.substr(origin.size()) : page.url;
            text += '\n';
        }
        return text;
    }
    std::string urlset(const std::vector<std::string>& paths) const {
        std::string xml = "<urlset>";
        for (const std::string& path : paths) xml += "<url><loc>" + server.url(path) + "</loc></url>";
        return xml + "</urlset>";
    }
};

}  // namespace

TEST_CASE_FIXTURE(Fixture,
                  "without depth the links of the start page are found, and other sites only counted") {
    serve_page("/",
               "<title>Home</title><a href=/b>B</a><a href=/c?utm_source=x>C</a><a href=/b#s>again</a>"
               "<a href=https://other.example/>out</a>");
    serve_page("/b", "<a href=/deeper>D</a>");

    const SiteMap site_map = map();

    CHECK(site_map.success());
    CHECK(listed(site_map) == "/\n/b\n/c\n");
    CHECK(site_map.links[0].title == "Home");
    CHECK(site_map.links[1].title == "B");
    CHECK(site_map.internal_count == 3);
    CHECK(site_map.external_count == 1);
    CHECK(site_map.depth_reached == 0);
    CHECK(server.count_requests("/b") == 0);
}

TEST_CASE_FIXTURE(Fixture, "links to other sites are listed when asked for") {
    serve_page("/", "<a href=/b>B</a><a href=https://other.example/>out</a>");

    CHECK(listed(map({.list_external = true})) == "/\n/b\nhttps://other.example/\n");
}

TEST_CASE_FIXTURE(Fixture, "links are followed breadth-first, as deep as allowed") {
    serve_page("/", "<a href=/1a>.</a><a href=/1b>.</a>");
    serve_page("/1a", "<a href=/2a>.</a><a href=/>.</a>");
    serve_page("/1b", "<a href=/2b>.</a>");
    serve_page("/2a", "<a href=/3>.</a>");

    const SiteMap one = map({.depth = 1});
    const SiteMap many = map({.depth = 10});

    CHECK(listed(one) == "/\n/1a\n/1b\n/2a\n/2b\n");
    CHECK(one.depth_reached == 1);
    CHECK(listed(many) == "/\n/1a\n/1b\n/2a\n/2b\n/3\n");
    CHECK(many.depth_reached == 3);
}

TEST_CASE_FIXTURE(Fixture, "sitemaps, indexes, feeds and llms.txt are read") {
    serve_page("/",
               "<link rel=alternate type=application/rss+xml href=/feed><p>Nothing but a heading here.</p>");
    serve("/robots.txt", "text/plain",
          "User-agent: *\nDisallow: /secret\nSitemap: " + server.url("/index.xml"));
    serve("/index.xml", "application/xml",
          "<sitemapindex><sitemap><loc>" + server.url("/index.xml") + "</loc></sitemap><sitemap><loc>" +
              server.url("/part.txt") + "</loc></sitemap></sitemapindex>");
    serve("/part.txt", "text/plain", server.url("/from-text") + "\n");
    serve("/sitemap.xml", "application/xml", urlset({"/from-sitemap"}));
    serve("/feed", "application/rss+xml",
          "<rss><channel><title>F</title><item><title>Post</title><link>" + server.url("/from-feed") +
              "</link></item></channel></rss>");
    serve("/llms.txt", "text/plain", "# Site\n- [Guide](/from-llms): how\n");

    const SiteMap site_map = map();

    CHECK(listed(site_map) == "/\n/from-sitemap\n/from-llms\n/from-text\n/from-feed\n");
    CHECK(site_map.links.back().title == "Post");
    CHECK(server.count_requests("/index.xml") == 1);
}

TEST_CASE_FIXTURE(Fixture, "sitemaps can be skipped, or be all that is read") {
    serve_page("/", "<a href=/linked>.</a>");
    serve("/sitemap.xml", "application/xml", urlset({"/mapped"}));

    CHECK(listed(map({.sitemap = SitemapUse::skip})) == "/\n/linked\n");
    CHECK(server.count_requests("/sitemap.xml") == 0);
    CHECK(listed(map({.depth = 5, .sitemap = SitemapUse::only})) == "/mapped\n");
    CHECK(server.count_requests("/") == 1);
}

TEST_CASE_FIXTURE(Fixture, "robots.txt and nofollow are obeyed when following") {
    serve("/robots.txt", "text/plain", "User-agent: *\nDisallow: /private\n");
    serve_page("/",
               "<a href=/private>.</a><a rel=nofollow href=/no>.</a><a href=/yes>.</a><a href=/page>.</a>");
    serve_page("/private", "<a href=/x>.</a>");
    serve_page("/no", "<a href=/y>.</a>");
    serve_page("/yes", "<a href=/z>.</a>");
    serve_page("/page", "<meta name=robots content=nofollow><a href=/w>.</a>");
    serve_page("/w", "<a href=/v>.</a>");

    const SiteMap site_map = map({.depth = 5});

    CHECK(listed(site_map) == "/\n/private\n/no\n/yes\n/page\n/z\n/w\n");
    CHECK(server.count_requests("/private") == 0);
    CHECK(server.count_requests("/no") == 0);
    CHECK(server.count_requests("/w") == 0);
}

TEST_CASE_FIXTURE(Fixture, "a start page that robots.txt forbids is an error that says so") {
    serve("/robots.txt", "text/plain", "User-agent: *\nDisallow: /\n");
    serve_page("/", "<a href=/b>.</a>");

    const SiteMap site_map = map();

    REQUIRE_FALSE(site_map.success());
    CHECK(site_map.error->code == ErrorCode::refused);
    CHECK(site_map.error->message.find("robots.txt forbids") != std::string::npos);
    CHECK(server.count_requests("/") == 0);
}

TEST_CASE_FIXTURE(Fixture, "a search keeps what matches, the best first") {
    serve_page(
        "/",
        "<a href=/install>How to start</a><a href=/guide/install>Install guide</a><a href=/other>Other</a>");

    CHECK(listed(map({.search = "Install GUIDE"})) == "/guide/install\n/install\n");
    CHECK(listed(map({.search = "nothing"})) == "");
}

TEST_CASE_FIXTURE(Fixture, "no more is listed than the limit allows") {
    std::string html;
    for (int i = 0; i < 100; ++i) html += fmt::format("<a href=/{}>.</a>", i);
    serve_page("/", html);

    CHECK(map({.limit = 7}).links.size() == 7);
}

TEST_CASE_FIXTURE(Fixture, "files that are no pages are listed but not fetched") {
    serve_page("/", "<a href=/a.zip>.</a><a href=/b.png>.</a>");

    const SiteMap site_map = map({.depth = 2});

    CHECK(listed(site_map) == "/\n/a.zip\n/b.png\n");
    CHECK(server.count_requests("/a.zip") == 0);
}

TEST_CASE_FIXTURE(Fixture, "a start page that is missing is an error, unless a sitemap lists pages") {
    CHECK(map().error->message.find("HTTP 404 Not Found") != std::string::npos);

    serve("/sitemap.xml", "application/xml", urlset({"/a"}));
    const SiteMap site_map = map();

    CHECK(site_map.success());
    CHECK_FALSE(site_map.error);
    CHECK(site_map.warning.find("HTTP 404 Not Found") != std::string::npos);
    CHECK(listed(site_map) == "/a\n");
}

TEST_CASE_FIXTURE(Fixture, "sitemaps that name ever new ones end") {
    server.on("/*", [this](const ServerRequest& request, Connection& connection) {
        const std::string next = "<sitemapindex><sitemap><loc>" + server.url(request.path + "x.xml") +
                                 "</loc></sitemap></sitemapindex>";
        connection.respond(200, {{"Content-Type", "application/xml"}}, next);
    });

    CHECK(map({.sitemap = SitemapUse::only}).links.empty());
    CHECK(server.requests().size() < 30);
}

TEST_CASE_FIXTURE(Fixture, "credentials go to the site itself and to nobody it names") {
    HostileServer elsewhere;
    serve_page("/", "<a href=/b>.</a>");
    serve("/robots.txt", "text/plain", "Sitemap: " + elsewhere.url("/sitemap.xml"));

    map_site({.fetcher = fetcher,
              .policy = {.allow_private = true},
              .headers = {{"Authorization", "Bearer secret"}, {"Accept-Language", "de"}}},
             server.url("/"));

    for (const ServerRequest& request : server.requests()) {
        CHECK(header_value(request.headers, "Authorization") == "Bearer secret");
    }
    REQUIRE(elsewhere.requests().size() == 1);
    CHECK(header_value(elsewhere.requests()[0].headers, "Authorization") == "");
    CHECK(header_value(elsewhere.requests()[0].headers, "Accept-Language") == "de");
}

TEST_CASE_FIXTURE(Fixture, "a password in the start URL is used for its pages and not shown") {
    serve_page("/", "<a href=/b>.</a>");
    serve_page("/b", "<a href=/c>.</a>");
    const std::string with_password =
        "http://ann:se%40cret@" + server.url("/").substr(std::string("http://").size());

    const SiteMap site_map =
        map_site({.fetcher = fetcher, .policy = {.allow_private = true}}, with_password, {.depth = 1});

    CHECK(site_map.url == server.url("/"));
    CHECK(listed(site_map) == "/\n/b\n/c\n");
    for (const ServerRequest& request : server.requests()) {
        CHECK(header_value(request.headers, "Authorization") == "Basic YW5uOnNlQGNyZXQ=");
    }
}

TEST_CASE("what is no URL is an error") {
    Fixture fixture;

    const SiteMap site_map = map_site({.fetcher = fixture.fetcher}, "ftp://a.example/");

    CHECK_FALSE(site_map.success());
    CHECK(site_map.error->message.starts_with("Invalid URL"));
}

TEST_CASE("hosts of a site") {
    struct Row {
        const char* home;
        const char* url;
        bool alone;
        bool with_subdomains;
        const char* reason;
    };
    const Row rows[] = {
        {"https://a.example/", "http://a.example:8080/x", true, true, "scheme and port do not matter"},
        {"https://www.a.example/", "https://a.example/", true, true, "www does not matter"},
        {"https://a.example/", "https://www.a.example/", true, true, "either way"},
        {"https://a.example/", "https://docs.a.example/", false, true, "a subdomain"},
        {"https://docs.a.example/", "https://a.example/", false, true, "the parent"},
        {"https://a.example/", "https://b.example/", false, false, "another site"},
        {"https://a.example/", "https://nota.example/", false, false, "only ends alike"},
        {"https://a.github.io/", "https://b.github.io/", false, false,
         "a public suffix is shared by strangers"},
        {"http://127.0.0.1/", "http://127.0.0.2/", false, false, "addresses have no subdomains"},
        {"https://a.example/", "mailto:x@a.example", false, false, "no page"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.reason);
        const auto home = url::Url::parse(row.home).value();
        const auto url = url::Url::parse(row.url).value();
        CHECK(SiteScope(home, Subdomains::leave_out).contains(url) == row.alone);
        CHECK(SiteScope(home, Subdomains::include).contains(url) == row.with_subdomains);
    }
}

TEST_CASE("a map's JSON is the record of its kind") {
    SiteMap site_map{
        .url = "https://a.example/", .internal_count = 1, .external_count = 2, .depth_reached = 3};
    site_map.links = {{.url = "https://a.example/x", .title = "X"}};

    const auto object = to_json(site_map);

    CHECK(object.at("success") == true);
    CHECK(object.at("links").at(0).at("title") == "X");
    CHECK(object.at("internal_count") == 1);
    CHECK(object.at("external_count") == 2);
    CHECK(object.at("depth_reached") == 3);
}
