#include "extract/metadata/links.h"

#include <string>

#include <doctest/doctest.h>

#include "html/parser.h"

using namespace quarry;
using namespace quarry::extract;

namespace {

std::string links_of(std::string html, std::string_view page_url = "https://a.example/dir/page") {
    const html::Tree tree = html::parse(std::move(html));
    const auto base = base_url(tree, page_url);
    std::string text;
    for (const Link& link : find_links(tree, base ? &*base : nullptr)) {
        text += link.url + "|" + link.text + (link.nofollow ? "|nofollow" : "") + "\n";
    }
    return text;
}

}  // namespace

TEST_CASE("links come out absolute, in order, each URL once") {
    struct Row {
        const char* html;
        const char* expected;
        const char* reason;
    };
    const Row rows[] = {
        {"<a href=x>X</a><a href=/y>Y</a>", "https://a.example/dir/x|X\nhttps://a.example/y|Y\n", "relative"},
        {"<a href=//b.example>B</a>", "https://b.example/|B\n", "without scheme"},
        {"<a href=x>X</a><a href=x>again</a>", "https://a.example/dir/x|X\n", "once"},
        {"<a href=x></a><a href=x>named</a>", "https://a.example/dir/x|named\n", "the first text counts"},
        {"<a href='mailto:a@b.c'>m</a><a href='javascript:f()'>j</a><a href='data:,x'>d</a>", "", "no pages"},
        {"<a href='#top'>t</a><a href='page#s'>s</a><a href=''>self</a>", "https://a.example/dir/page|self\n",
         "within the page"},
        {"<a href='#/users'>u</a>", "https://a.example/dir/page#/users|u\n", "a route is a page"},
        {"<a href='other#s'>s</a>", "https://a.example/dir/other#s|s\n", "a section of another page"},
        {"<a>no href</a>", "", "an anchor"},
        {"<a href='http://[bad'>b</a>", "", "a broken URL"},
        {"<map><area href=z alt=Zed></map>", "https://a.example/dir/z|Zed\n", "area"},
        {"<a href=x rel='NoFollow noopener'>X</a>", "https://a.example/dir/x|X|nofollow\n", "nofollow"},
        {"<a href=x rel=nofollow>X</a><a href=x>X</a>", "https://a.example/dir/x|X\n",
         "one link may be followed"},
        {"<a href=x rel=nofollowed>X</a>", "https://a.example/dir/x|X\n", "a whole word"},
        {"<a href=x><img src=i alt='A picture'></a>", "https://a.example/dir/x|A picture\n", "image's words"},
        {"<a href=x aria-label=Menu><svg></svg></a>", "https://a.example/dir/x|Menu\n", "icon's label"},
        {"<a href=x> two \n <b>words</b><script>no</script></a>", "https://a.example/dir/x|two words\n",
         "one line"},
        {"<a href=x><div>one</div><div>two</div></a>", "https://a.example/dir/x|one two\n",
         "blocks are apart"},
        {"<base href='https://b.example/r/'><a href=x>X</a>", "https://b.example/r/x|X\n", "base"},
        {"<base href='/r/'><base href='/s/'><a href=x>X</a>", "https://a.example/r/x|X\n", "the first base"},
        {"<base target=_blank><base href='/r/'><a href=x>X</a>", "https://a.example/r/x|X\n", "with a href"},
        {"<base href='data:,'><a href=x>X</a>", "https://a.example/dir/x|X\n", "a base that is none"},
        {"<template><a href=x>X</a></template>", "https://a.example/dir/x|X\n", "in a template"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.html);
        CAPTURE(row.reason);
        CHECK(links_of(row.html) == row.expected);
    }
}

TEST_CASE("without a URL of the page only absolute links come out") {
    CHECK(links_of("<a href=x>X</a><a href='https://b.example/y'>Y</a>", "") == "https://b.example/y|Y\n");
}

TEST_CASE("frames are listed apart from links") {
    const html::Tree tree =
        html::parse("<iframe src=f title=T></iframe><iframe data-src=g></iframe><iframe></iframe>");
    const auto base = url::Url::parse("https://a.example/").value();

    const std::vector<Link> frames = find_frames(tree, &base);

    REQUIRE(frames.size() == 2);
    CHECK(frames[0].url == "https://a.example/f");
    CHECK(frames[0].text == "T");
    CHECK(frames[1].url == "https://a.example/g");
    CHECK(find_links(tree, &base).empty());
}

TEST_CASE("feeds are found by type, not by relation alone") {
    const html::Tree tree = html::parse(
        "<link rel=alternate type=application/rss+xml href=/rss title=News><link rel=alternate hreflang=de "
        "href=/de>"
        "<link rel=stylesheet type=application/atom+xml href=/x>");
    const auto base = url::Url::parse("https://a.example/").value();

    const std::vector<Link> feeds = find_feeds(tree, &base);

    REQUIRE(feeds.size() == 1);
    CHECK(feeds[0].url == "https://a.example/rss");
    CHECK(feeds[0].text == "News");
}

TEST_CASE("a page of links in links costs no more than its size") {
    std::string html;
    for (int i = 0; i < 20'000; ++i) html += "<table><tr><td><a href=x" + std::to_string(i) + ">";

    CHECK(links_of(html).size() > 100);
}
