#include "crawl/robots.h"

#include <string>

#include <doctest/doctest.h>

using namespace quarry::crawl;
using namespace std::chrono_literals;

namespace {

bool allows(std::string_view text, std::string_view path, std::string_view agent = "quarry") {
    return Robots::parse(text).check(agent, path).allowed;
}

}  // namespace

TEST_CASE("the longest pattern that matches decides, and Allow wins between equals") {
    const Robots robots = Robots::parse(
        "User-agent: *\n"
        "Disallow: /docs\n"
        "Allow: /docs/public\n"
        "Allow: /same\n"
        "Disallow: /same\n"
        "Disallow: /*.pdf$\n");

    CHECK(robots.check("quarry", "/").allowed);
    CHECK_FALSE(robots.check("quarry", "/docs/x").allowed);
    CHECK(robots.check("quarry", "/docs/public/x").allowed);
    CHECK(robots.check("quarry", "/same").allowed);
    CHECK_FALSE(robots.check("quarry", "/a/b.pdf").allowed);
    CHECK(robots.check("quarry", "/a/b.pdf?download").allowed);
}

TEST_CASE("a verdict names the line that decided") {
    const Robots robots = Robots::parse("# hello\r\nUser-agent: *\r\n\r\n  Disallow: /x  # secret\r\n");

    const Verdict verdict = robots.check("quarry", "/x/y");

    CHECK_FALSE(verdict.allowed);
    CHECK(verdict.rule == "Disallow: /x");
    CHECK(verdict.line == 4);
    CHECK(verdict.agent == "*");
    CHECK(robots.check("quarry", "/y").rule == "no rule matches");
    CHECK(robots.check("quarry", "/y").line == 0);
}

TEST_CASE("patterns match as the RFC describes them") {
    struct Row {
        const char* pattern;
        const char* path;
        bool matches;
    };
    const Row rows[] = {
        {"/", "/anything", true},
        {"/fish", "/fish", true},
        {"/fish", "/fishheads/x?y", true},
        {"/fish", "/Fish", false},
        {"/fish", "/catfish", false},
        {"/fish/", "/fish", false},
        {"/*", "/", true},
        {"*", "/x", true},
        {"/*.php", "/a/b.php?x", true},
        {"/*.php$", "/a/b.php?x", false},
        {"/*.php$", "/a.php/b.php", true},
        {"/fish*.php", "/fish.php", true},
        {"/fish*.php", "/x/fish.php", false},
        {"/a$", "/a", true},
        {"/a$", "/ab", false},
        {"/a$b", "/a$bc", true},  // only at the end is '$' special
        {"/a**b", "/axb", true},
        {"/a*b*c$", "/abbc", true},
        {"/a*b*c$", "/abcb", false},
        {"/a*aa$", "/aa", false},  // the two parts may not overlap
        {"/%e3%83%84", "/%E3%83%84", true},
        {"/ツ", "/%E3%83%84", true},
        {"/%E3%83%84", "/ツ", false},  // a path comes encoded
        {"/%7Ejoe", "/~joe", true},
        {"/~joe", "/%7ejoe", true},
        {"/a%2Fb", "/a/b", false},
        {"/%62%61%7A", "/baz", true},
        {"/a<b", "/a<b", true},
        {"/a<b", "/a%3Cb", true},
        {"/a%3cb", "/a<b", true},
        {"/a%2Ab", "/a*b", true},
        {"/a%2ab", "/a%2Ab", true},
        {"/a%2Ab", "/axb", false},
        {"/a*b", "/a%2Ab", true},
        {"/a%24", "/a$", true},
        {"/a%24", "/a$b", true},
        {"/a%24", "/a", false},
        {"/a%24$", "/a$b", false},
        {"/a$b", "/a%24b", true},
        {"/a:b", "/a%3Ab", false},
        {"/p?u=https://b", "/p?u=https%3A%2F%2Fb", true},
        {"/p?u=https%3a%2f%2fb", "/p?u=https://b", true},
        {"/100%", "/100%25", true},
        {"/a%3Fb", "/a?b", false},
        {"/100%", "/100%", true},
        {"/?*id=", "/?a&id=1", true},
    };
    for (const Row& row : rows) {
        CAPTURE(row.pattern);
        CAPTURE(row.path);
        CHECK(allows(std::string("User-agent: *\nDisallow: ") + row.pattern, row.path) != row.matches);
    }
}

TEST_CASE("an agent obeys the groups that name it, else the one for everyone") {
    constexpr std::string_view text =
        "User-agent: *\nDisallow: /all\n\n"
        "User-agent: Quarry\nUser-agent: other\nDisallow: /both\n\n"
        "User-agent: QUARRY/2.0\nDisallow: /again\n"
        "User-agent: 360Spider\nDisallow: /digits\n";

    CHECK(allows(text, "/all"));
    CHECK_FALSE(allows(text, "/both"));
    CHECK_FALSE(allows(text, "/again"));
    CHECK_FALSE(allows(text, "/both", "other"));
    CHECK_FALSE(allows(text, "/both", "quarry/1.0 (+https://a.example)"));
    CHECK_FALSE(allows(text, "/all", "quarrybot"));
    CHECK_FALSE(allows(text, "/digits", "360spider"));
    CHECK_FALSE(allows(text, "/all", ""));
}

TEST_CASE("an empty Disallow allows everything, and rules for nobody are ignored") {
    CHECK(allows("User-agent: *\nDisallow:\n", "/x"));
    CHECK(allows("User-agent: *\nDisallow: /\nUser-agent: quarry\nDisallow:\n", "/x"));
    CHECK(allows("Disallow: /\n", "/x"));
    CHECK(allows("User-agent:\nDisallow: /\n", "/x"));
    CHECK(allows("", "/x"));
}

TEST_CASE("sloppy files are read as they were meant") {
    CHECK_FALSE(allows("\xEF\xBB\xBFUser-agent: *\rDISALLOW:/x", "/x"));
    CHECK_FALSE(allows("user-agent *\ndisallow /x", "/x"));
    CHECK_FALSE(allows("useragent: *\nDissallow: /x", "/x"));
    CHECK_FALSE(allows("User-agent: * \nSitemap: /s.xml\nNonsense\nDisallow : /x", "/x"));
    CHECK(allows("<html>User-agent: * Disallow: /</html>", "/x"));
    CHECK(allows("User-agent: *\nDisallow: / and more\n", "/x"));
}

TEST_CASE("robots.txt itself is always allowed") {
    CHECK(allows("User-agent: *\nDisallow: /\n", "/robots.txt"));
}

TEST_CASE("a URL is judged by its path and query") {
    const Robots robots = Robots::parse("User-agent: *\nDisallow: /*?print");

    CHECK_FALSE(
        robots.check("quarry", quarry::url::Url::parse("https://a.example/x?print#y").value()).allowed);
    CHECK(robots.check("quarry", quarry::url::Url::parse("https://a.example/x#?print").value()).allowed);
}

TEST_CASE("crawl delays are read, capped, and belong to the agents named before them") {
    const Robots robots = Robots::parse(
        "User-agent: *\nCrawl-delay: 1.5\n"
        "User-agent: slow\nUser-agent: quarry\nCrawl-delay: 86400\nDisallow:\n"
        "User-agent: none\nDisallow: /x\n"
        "User-agent: wrong\nCrawl-delay: 10s\nCrawl-delay: -1\nCrawl-delay: nan\nDisallow: /x\n");

    CHECK(robots.crawl_delay("anyone") == 1500ms);
    CHECK(robots.crawl_delay("quarry") == max_crawl_delay);
    CHECK_FALSE(robots.crawl_delay("none"));
    CHECK_FALSE(robots.crawl_delay("wrong"));
    CHECK_FALSE(Robots::parse("Crawl-delay: 1").crawl_delay("quarry"));
}

TEST_CASE("sitemaps are listed in order, wherever they stand") {
    const Robots robots =
        Robots::parse("Sitemap: https://a.example/1.xml\nUser-agent: *\nsitemap:/2.xml\nSitemap:\n");

    CHECK(robots.sitemaps() == std::vector<std::string>{"https://a.example/1.xml", "/2.xml"});
}

TEST_CASE("how the server answered decides what its rules are") {
    constexpr std::string_view body = "User-agent: *\nDisallow: /x\n";

    CHECK_FALSE(Robots::from_response(200, body).check("quarry", "/x").allowed);
    CHECK(Robots::from_response(200, body).check("quarry", "/y").allowed);
    for (const int status : {301, 400, 401, 403, 404, 410}) {
        CHECK(Robots::from_response(status, body).check("quarry", "/x").allowed);
    }
    for (const int status : {0, 429, 500, 503}) {
        CHECK_FALSE(Robots::from_response(status, body).check("quarry", "/y").allowed);
    }
    CHECK(Robots::from_response(503, "").check("quarry", "/").rule ==
          "nothing is allowed while robots.txt answers 503");
}

TEST_CASE("only the first 500 KB count, up to the last whole line") {
    std::string text = "User-agent: *\nDisallow: /a\n";
    text += std::string(max_robots_bytes - text.size() - 12, '#') + "\n";
    text += "Disallow: /private\n";

    const Robots robots = Robots::parse(text);

    CHECK(robots.was_truncated());
    CHECK_FALSE(robots.check("quarry", "/a").allowed);
    CHECK(robots.check("quarry", "/b").allowed);
    CHECK(robots.check("quarry", "/private").allowed);
    CHECK_FALSE(Robots::parse("User-agent: *\n").was_truncated());
}

TEST_CASE("hostile files are answered at once") {
    const auto repeated = [](std::string_view text, std::size_t times) {
        std::string result;
        for (std::size_t i = 0; i < times; ++i) result += text;
        return result;
    };
    const std::string path = "/" + repeated("a", 100'000);

    CHECK(allows("User-agent: *\nDisallow: /" + repeated("*a", 8'000) + "*b", path));
    CHECK(allows("User-agent: *\nDisallow: /*" + repeated("a", 8'000) + "b", path));
    CHECK(allows("User-agent: *\nDisallow: /" + repeated("*", 16'000) + "b", path));
    CHECK(allows(repeated("User-agent: *\n", 15'000) + repeated("Disallow:/b*\n", 15'000), path));
    CHECK(allows(std::string(10'000'000, '\n'), path));
}
