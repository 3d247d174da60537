// `quarry map` and `quarry robots` against a real nginx.
#include <filesystem>
#include <string>

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include "program/run_quarry.h"
#include "servers/nginx.h"

using namespace quarry::test;

namespace {

// The site in a folder of its own, so that files with absolute URLs can be added once the port is known.
struct Served {
    TemporaryFolder folder;
    std::optional<Nginx> nginx;

    Served() : nginx(Nginx::start(folder.path())) {
        std::filesystem::copy(QUARRY_SOURCE "/tests/site", folder.path(),
                              std::filesystem::copy_options::recursive);
    }
    std::string url(const std::string& path) const { return nginx->url(path); }
    void sitemap(const std::string& name, const std::vector<std::string>& paths) const {
        std::string xml = "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">";
        for (const auto& path : paths) xml += "<url><loc>" + url(path) + "</loc></url>";
        folder.write(name, xml + "</urlset>");
    }
};

#define START_SITE(name)                            \
    const Served name;                              \
    if (!name.nginx) {                              \
        MESSAGE("skipped: nginx is not installed"); \
        return;                                     \
    }

Ran quarry_map(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"map", "--allow-private", "--retries", "0"});
    return run_quarry(arguments);
}

}  // namespace

TEST_CASE("map lists the sitemap's URLs and the page's links, one a line, each once") {
    START_SITE(served);
    served.sitemap("sitemap.xml", {"/", "/guide/install.html", "/only-in-sitemap.html"});

    const Ran ran = quarry_map({served.url("/")});

    CHECK(ran.exit_code == 0);
    CHECK(contains(ran.out, served.url("/only-in-sitemap.html") + "\n"));
    CHECK(contains(ran.out, served.url("/guide/tables.html") + "\n"));
    const std::string install = served.url("/guide/install.html") + "\n";
    CHECK(ran.out.find(install) == ran.out.rfind(install));
    CHECK_FALSE(contains(ran.out, "elsewhere.example"));
}

TEST_CASE("map with --json prints the record with counts") {
    START_SITE(served);

    const Ran ran = quarry_map({served.url("/"), "--json", "--external"});

    REQUIRE(ran.exit_code == 0);
    const auto record = boost::json::parse(ran.out).as_object();
    CHECK(record.at("success").as_bool());
    CHECK(record.at("url").as_string() == served.url("/"));
    CHECK(record.at("links").as_array().size() >= 4);
    CHECK(record.at("internal_count").to_number<int>() >= 3);
    CHECK(record.at("external_count").to_number<int>() == 1);
    CHECK(record.at("depth_reached") == 0);
    CHECK(record.at("error").is_null());
}

TEST_CASE("map follows sitemap indexes, gzip is fine, and one that includes itself ends") {
    START_SITE(served);
    served.folder.write("sitemap.xml", "<sitemapindex><sitemap><loc>" + served.url("/sitemap.xml") +
                                           "</loc></sitemap><sitemap><loc>" + served.url("/part.xml") +
                                           "</loc></sitemap></sitemapindex>");
    served.sitemap("part.xml", {"/deep/page.html"});

    const Ran ran = quarry_map({served.url("/"), "--sitemap", "only"});

    CHECK(ran.exit_code == 0);
    CHECK(contains(ran.out, served.url("/deep/page.html") + "\n"));
    CHECK(contains(ran.out, served.url("/guide/install.html") + "\n"));  // from llms.txt
    CHECK_FALSE(contains(ran.out, "release"));
}

TEST_CASE("map obeys limit, depth, search and sitemap=skip") {
    START_SITE(served);
    served.sitemap("sitemap.xml", {"/from-sitemap.html"});

    CHECK_FALSE(contains(quarry_map({served.url("/"), "--sitemap", "skip"}).out, "from-sitemap"));
    const Ran limited = quarry_map({served.url("/"), "--limit", "2"});
    CHECK(std::count(limited.out.begin(), limited.out.end(), '\n') == 2);
    const Ran searched = quarry_map({served.url("/"), "--search", "install"});
    CHECK(searched.out.starts_with(served.url("/guide/install.html")));
    CHECK(quarry_map({served.url("/"), "--sitemap", "maybe"}).exit_code == 2);
    served.folder.write("guide/install.html", "<title>Install</title><p><a href=/deep.html>deeper</a></p>");
    served.folder.write("deep.html", "<title>Deep</title><p><a href=/deepest.html>deepest</a></p>");
    const auto depth = [&](const char* steps) {
        return quarry_map({served.url("/"), "--sitemap", "skip", "--depth", steps, "--json"}).out;
    };
    CHECK_FALSE(contains(depth("0"), "/deep.html"));
    CHECK(contains(depth("1"), "/deep.html"));
    CHECK_FALSE(contains(depth("1"), "/deepest.html"));
    CHECK(boost::json::parse(depth("2")).at("depth_reached") == 2);
}

TEST_CASE("map of a site that is not there says why and exits with 1") {
    const Ran ran = quarry_map({"http://127.0.0.1:1/", "--timeout", "2s"});

    CHECK(ran.exit_code == 1);
    CHECK(ran.err.starts_with("error: "));
    CHECK(ran.out.empty());
}

TEST_CASE("robots tells whether a URL may be fetched and by which rule") {
    START_SITE(served);
    const auto ask = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"robots", "--allow-private", "--retries", "0"});
        return run_quarry(arguments);
    };

    const Ran allowed = ask({served.url("/guide/install.html")});
    CHECK(allowed.exit_code == 0);
    CHECK(allowed.out.starts_with("allowed"));

    const Ran refused = ask({served.url("/private/plans.html")});
    CHECK(refused.exit_code == 1);
    CHECK(refused.out.starts_with("disallowed"));
    CHECK(contains(refused.out, "Disallow: /private/"));
    CHECK(contains(refused.out, "line 2"));

    CHECK(ask({served.url("/"), "--agent", "GreedyBot"}).exit_code == 1);

    const Ran json = ask({served.url("/private/plans.html"), "--json"});
    const auto record = boost::json::parse(json.out).as_object();
    CHECK_FALSE(record.at("allowed").as_bool());
    CHECK(record.at("rule").at("line").to_number<int>() == 2);
}

TEST_CASE("robots reads a local file, and a missing robots.txt allows everything") {
    START_SITE(served);
    const std::string file = served.folder.write("local.txt", "User-agent: *\nDisallow: /a$\n");

    CHECK(run_quarry({"robots", "https://a.example/a", "--file", file}).exit_code == 1);
    CHECK(run_quarry({"robots", "https://a.example/ab", "--file", file}).exit_code == 0);
    CHECK(run_quarry({"robots", "https://a.example/a", "--file", "/nonexistent"}).exit_code == 2);
    CHECK(run_quarry({"robots", "http://", "--file", file}).exit_code == 2);

    std::filesystem::remove(served.folder.file("robots.txt"));
    CHECK(run_quarry({"robots", "--allow-private", served.url("/private/x")}).exit_code == 0);
}
