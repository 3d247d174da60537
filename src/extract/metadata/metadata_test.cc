#include "extract/metadata/metadata.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "extract/metadata/byline.h"
#include "extract/metadata/links.h"
#include "extract/one_line.h"
#include "html/parser.h"

using namespace quarry;
using namespace quarry::extract;

namespace {

Metadata read(std::string html, const std::vector<Header>& headers = {}) {
    const html::Tree tree = html::parse(std::move(html));
    const auto base = base_url(tree, "https://a.example/d/page");
    return read_metadata(tree, base ? &*base : nullptr, headers);
}

std::string value_of(const std::vector<NamedValue>& list, std::string_view name) {
    const auto found = std::ranges::find(list, name, &NamedValue::first);
    return found == list.end() ? "(none)" : found->second;
}

struct Row {
    const char* html;
    const char* expected;
    const char* reason;
};

}  // namespace

TEST_CASE("the title is that of <title>, else what stands for it") {
    const Row rows[] = {
        {"<title>\n A &amp;  B </title><h1>H</h1>", "A & B", "one tidy line"},
        {"<title></title><meta property=og:title content=O>", "O", "Open Graph"},
        {"<svg><title>icon</title></svg><h1>H <b>b</b></h1>", "H b", "a picture's title is not the page's"},
        {"<script type=application/ld+json>{\"@type\":\"Article\",\"headline\":\"J\"}</script>", "J",
         "JSON-LD"},
        {"<p>x", "", "none"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.reason);
        CHECK(read(row.html).title == row.expected);
    }
}

TEST_CASE("the description is found in any of the tags for it") {
    CHECK(read("<meta name=Description content=' a  b '>").description == "a b");
    CHECK(read("<meta property=og:description content=o><meta name=description content=d>").description ==
          "d");
    CHECK(read("<meta name=twitter:description content=t>").description == "t");
    CHECK(read("<meta name=description content=''><meta property=og:description content=o>").description ==
          "o");
}

TEST_CASE("the language is what the page declares, in one spelling") {
    CHECK(read("<html lang=en-us>").language == "en-US");
    CHECK(read("<html lang=''><meta http-equiv=Content-Language content='de, en'>").language == "de");
    CHECK(read("<meta property=og:locale content=fr_FR>").language == "fr-FR");
    CHECK(read("<p>x", {{"Content-Language", "it"}}).language == "it");
    CHECK(read("<html lang='{{lang}}'>").language == "");
}

TEST_CASE("the canonical URL is absolute, from the page or the header") {
    CHECK(read("<link rel=canonical href=/c>").canonical == "https://a.example/c");
    CHECK(read("<p>", {{"Link", "</n>; rel=next, <https://b.example/c>; rel=\"canonical\""}}).canonical ==
          "https://b.example/c");
    CHECK(read("<link rel=canonical href='javascript:x'>").canonical == "");
    CHECK(read("<p>x").canonical == "");
}

TEST_CASE("the author is a name") {
    const Row rows[] = {
        {"<meta name=author content='Ann Lee'>", "Ann Lee", "meta"},
        {"<meta property=article:author content='https://f.example/ann'><a rel=author href=/ann>Ann</a>",
         "Ann", "a URL is no name"},
        {"<script type=application/ld+json>{\"@type\":\"Article\",\"author\":{\"name\":\"Ann\"}}</script>",
         "Ann", "JSON-LD"},
        {"<span itemprop=author itemscope><a><span itemprop=name>Ann</span></a></span>", "Ann", "microdata"},
        {"<p class=byline>By Ann Lee | 5 March 2024</p>", "Ann Lee", "byline"},
        {"<div class='post-author'>Written by <a>Ann Lee</a></div>", "Ann Lee", "byline with a link"},
        {"<div class=comments><span class=author>Bob</span></div>", "", "a commenter is not the author"},
        {"<meta property=og:site_name content=Site><meta name=author content=site><p class=author>Ann</p>",
         "Ann", "the site is not the author"},
        {"<meta property=og:site_name content=Site><meta name=author content=Site>", "Site",
         "unless nobody else is"},
        {"<p class=authority>x</p>", "", "only whole words of a class"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.html);
        CAPTURE(row.reason);
        CHECK(read(row.html).author == row.expected);
    }
}

TEST_CASE("stated names lose only what cannot be part of a name") {
    CHECK(author_name("By Ann Lee") == "Ann Lee");
    CHECK(author_name("Von Miller") == "Von Miller");
}

TEST_CASE("names are taken out of bylines") {
    const Row rows[] = {
        {"By Ann Lee", "Ann Lee", "preposition"},
        {"by: Ann Lee, 5 March 2024", "Ann Lee", "date"},
        {"Ann Lee and Bob Ray", "Ann Lee and Bob Ray", "two"},
        {"Von Ánna Müller", "Ánna Müller", "German"},
        {"Ann Lee • 5 min read", "Ann Lee", "bullet"},
        {"Byron", "Byron", "no preposition"},
        {"https://a.example/ann", "", "URL"},
        {"@ann", "", "handle"},
        {"ann@a.example", "", "mail address"},
        {"Ann Lee Monday, November 18, 2019", "Ann Lee", "weekday and month go with the number"},
        {"Post by ann » Sat Feb 3", "ann", "a forum's byline"},
        {"Martin L. King Jr.", "Martin L. King Jr.", "the full stop of an abbreviation"},
        {"12345", "", "number"},
        {"ann203", "ann203", "digits in a name"},
        {"This is a whole sentence about something that somebody wrote down here once upon a time", "",
         "prose"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.html);
        CHECK(author_name(row.html, NameSource::byline) == row.expected);
    }
}

TEST_CASE("dates are found and written as ISO 8601") {
    const Row rows[] = {
        {"<meta property=article:published_time content='2024-03-05T10:20:30+01:00'>",
         "2024-03-05T10:20:30+01:00", "meta"},
        {"<meta name=date content='March 5, 2024'>", "2024-03-05", "free form"},
        {"<meta name=DC.date.issued content=2024-03-05>", "2024-03-05", "Dublin Core"},
        {"<script type=application/ld+json>{\"@type\":\"Article\",\"datePublished\":\"2024-03-05\"}</script>",
         "2024-03-05", "JSON-LD"},
        {"<time itemprop=datePublished datetime=2024-03-05>x</time>", "2024-03-05", "microdata"},
        {"<article><h1>H</h1><time datetime=2024-03-05>x</time></article>", "2024-03-05",
         "beside the heading"},
        {"<time class=entry-date datetime=2024-03-05>x</time>", "2024-03-05", "marked by class"},
        {"<h1>H</h1><article><time datetime=2024-03-05>x</time></article>", "", "of one item in a list"},
        {"<h1>H</h1><p class=post-date>Published on Nov 20, 2019 01:38 pm</p>", "2019-11-20T13:38:00",
         "in words"},
        {"<h1>H</h1><footer class=date>March 5, 2024</footer>", "", "but not in a footer"},
        {"<meta name=date content='PT7M'>", "", "a duration"},
        {"<meta name=date content='03/04/2024'>", "03/04/2024", "kept as stated where it could be two dates"},
        {"<meta name=date content='{{date}}'>", "", "a template that was not filled in"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.html);
        CAPTURE(row.reason);
        CHECK(read(row.html).published == row.expected);
    }
    CHECK(read("<meta property=article:modified_time content=2024-03-06>").modified == "2024-03-06");
}

TEST_CASE("the best icon is chosen") {
    CHECK(read("<link rel='shortcut icon' href=/f.ico>").favicon == "https://a.example/f.ico");
    CHECK(read("<link rel=icon href=s.png sizes=16x16><link rel=icon href=l.png sizes=64x64>").favicon ==
          "https://a.example/d/l.png");
    CHECK(
        read("<link rel=icon href=l.png sizes=64x64><link rel=icon href=v.svg type=image/svg+xml>").favicon ==
        "https://a.example/d/v.svg");
    CHECK(read("<link rel=apple-touch-icon href=t.png sizes=180x180><link rel=icon href=s.png>").favicon ==
          "https://a.example/d/s.png");
    CHECK(read("<link rel=icon href='data:,'>").favicon == "https://a.example/favicon.ico");
}

TEST_CASE("named tags are kept apart by their vocabulary") {
    const Metadata metadata = read(
        "<meta property='og:type' content=article><meta property='og:image' content=/i.png>"
        "<meta name='DC.Creator' content=Ann><meta name=viewport content=w><meta name=robots content=noindex>"
        "<meta name=keywords content='a, b'><meta name=empty content=''>");

    CHECK(value_of(metadata.open_graph, "og:type") == "article");
    CHECK(value_of(metadata.dublin_core, "dc.creator") == "Ann");
    CHECK(value_of(metadata.other, "viewport") == "w");
    CHECK(value_of(metadata.other, "empty") == "(none)");
    CHECK(metadata.image == "https://a.example/i.png");
    CHECK(metadata.keywords == "a, b");
    CHECK(metadata.robots.noindex);
}

TEST_CASE("robots directives come from tags for all or for quarry, and from headers") {
    const Metadata metadata = read("<meta name=quarry content=nofollow><meta name=googlebot content=noindex>",
                                   {{"X-Robots-Tag", "noarchive"}});

    CHECK(metadata.robots.nofollow);
    CHECK_FALSE(metadata.robots.noindex);
    CHECK(metadata.robots.noarchive);
}

TEST_CASE("JSON-LD is kept as data") {
    const Metadata metadata = read(
        "<script type='application/ld+json; charset=utf-8'>{\"a\": 1}</script>"
        "<script type=application/ld+json>broken</script><script>{\"b\": 1}</script>");

    CHECK(metadata.json_ld == std::vector<std::string>{"{\"a\": 1}"});
}

TEST_CASE("a line is cut between characters, and never longer than asked for") {
    CHECK(one_line(" a\t b ", 10) == "a b");
    CHECK(one_line("ab cd", 3) == "ab");
    CHECK(one_line("ab cd", 4) == "ab c");
    CHECK(one_line("aé", 2) == "a");
    CHECK(one_line("aé", 3) == "aé");
    CHECK(one_line("a\u200db\u200bc\u00a0d", 20) == "a\u200dbc d");
}

TEST_CASE("a page made of metadata is bounded") {
    std::string html;
    for (int i = 0; i < 10'000; ++i)
        html += "<meta name=n" + std::to_string(i) + " content=" + std::string(100, 'x') + ">";
    html += "<meta name=description content='" + std::string(100'000, 'y') + "'>";

    const Metadata metadata =
        read("<meta name=description content='" + std::string(100'000, 'y') + "'>" + html);

    CHECK(metadata.other.size() < 1'000);
    CHECK(metadata.description.size() < 10'000);
}
