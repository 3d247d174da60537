#include "app/demo/site.h"

#include <algorithm>
#include <set>

#include <doctest/doctest.h>

using namespace quarry;
using namespace quarry::app;

namespace {

const std::string origin = "http://127.0.0.1:1234";

// The targets of all links to the site itself, without fragments.
std::set<std::string> links_of(const std::string& html) {
    std::set<std::string> links;
    const std::string mark = "href=\"/";
    for (auto at = html.find(mark); at != std::string::npos; at = html.find(mark, at + 1)) {
        const auto begin = at + mark.size() - 1;
        links.insert(html.substr(begin, html.find_first_of("\"#", begin) - begin));
    }
    return links;
}

}  // namespace

TEST_CASE("every page of the list has words, and every file with words is in the list") {
    const DemoFiles site = demo_site(origin);
    std::set<std::string_view> named = {"frame.html", "style.css", "index.html"};
    for (const DemoPage& page : demo_pages()) {
        CAPTURE(page.path);
        const std::string& html = site.at(std::string(page.path)).body;
        CHECK(html.find("<h1>") != std::string::npos);
        CHECK(html.find("{{") == std::string::npos);
        const auto files = demo_files();
        const auto file = std::ranges::find_if(files, [&](const EmbeddedFile& candidate) {
            return candidate.path == std::string(page.path.substr(1)) + ".html";
        });
        if (file != files.end()) named.insert(file->path);
    }
    for (const EmbeddedFile& file : demo_files()) {
        CAPTURE(file.path);
        CHECK(named.contains(file.path));
    }
}

TEST_CASE("no link of the site leads nowhere") {
    const DemoFiles site = demo_site(origin);
    for (const auto& [path, file] : site) {
        if (!file.content_type.starts_with("text/html")) continue;
        for (const std::string& link : links_of(file.body)) {
            CAPTURE(path);
            CAPTURE(link);
            CHECK(site.contains(link));
        }
    }
}

TEST_CASE("the sitemap lists every page, and robots.txt names the sitemap") {
    const DemoFiles site = demo_site(origin);
    const std::string& sitemap = site.at("/sitemap.xml").body;
    for (const DemoPage& page : demo_pages())
        CHECK(sitemap.find("<loc>" + origin + std::string(page.path) + "</loc>") != std::string::npos);
    CHECK(site.at("/robots.txt").body.find("Sitemap: " + origin + "/sitemap.xml") != std::string::npos);
}

TEST_CASE("a page's heading is its title in the sidebar") {
    const DemoFiles site = demo_site(origin);
    for (const DemoPage& page : demo_pages()) {
        const std::string heading = "<h1>" + std::string(page.title) + "</h1>";
        CAPTURE(heading);
        CHECK(site.at(std::string(page.path)).body.find(heading) != std::string::npos);
    }
}
