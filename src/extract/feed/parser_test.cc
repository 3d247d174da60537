#include "extract/feed/parser.h"

#include <doctest/doctest.h>

#include "extract/feed/document.h"

using namespace quarry;
using namespace quarry::extract;

TEST_CASE("an RSS feed is read") {
    const Feed feed = parse_feed(R"(<?xml version="1.0"?>
        <rss version="2.0" xmlns:content="c" xmlns:dc="d" xmlns:atom="a"><channel>
        <title>The &amp;amp; Feed</title><link>https://a.example/</link><description>About</description>
        <atom:link rel="self" href="https://a.example/feed"/><language>en-us</language>
        <image><title>Logo</title><link>https://a.example/logo</link></image>
        <item><title>One</title><link>https://a.example/1</link><pubDate>Tue, 05 Mar 2024 10:20:30 GMT</pubDate>
          <dc:creator>Ann</dc:creator><description>short</description>
          <content:encoded><![CDATA[<p>long <b>text</b></p>]]></content:encoded></item>
        <item><title>Two</title><guid>https://a.example/2</guid><description>&lt;i&gt;x&lt;/i&gt;</description></item>
        </channel></rss>)")
                          .value();

    CHECK(feed.title == "The & Feed");
    CHECK(feed.url == "https://a.example/");
    CHECK(feed.description == "About");
    CHECK(feed.language == "en-us");
    REQUIRE(feed.items.size() == 2);
    CHECK(feed.items[0].title == "One");
    CHECK(feed.items[0].url == "https://a.example/1");
    CHECK(feed.items[0].author == "Ann");
    CHECK(feed.items[0].published == "Tue, 05 Mar 2024 10:20:30 GMT");
    CHECK(feed.items[0].content == "<p>long <b>text</b></p>");
    CHECK(feed.items[1].url == "https://a.example/2");
    CHECK(feed.items[1].content == "<i>x</i>");
    CHECK_FALSE(feed.is_cut);
}

TEST_CASE("an Atom feed is read") {
    const Feed feed = parse_feed(R"(<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de">
        <title>F</title><subtitle>S</subtitle><link href="/"/><link rel="self" href="/atom"/><updated>2024-03-06</updated>
        <author><name>Site</name></author>
        <entry><title type="html">A &amp;lt; B</title><link rel="alternate" href="/1"/><link rel="edit" href="/e"/>
          <published>2024-03-05</published><updated>2024-03-07</updated>
          <author><name>Ann</name><email>a@a.example</email></author>
          <summary>s</summary><content type="html">&lt;p&gt;c&lt;/p&gt;</content></entry>
        <entry><title>T</title><content type="text">1 &lt; 2</content></entry>
        <entry><title>X</title><content type="xhtml"><div><p>a <a href="/l">b</a> &amp; c</p></div></content></entry>
        </feed>)")
                          .value();

    CHECK(feed.title == "F");
    CHECK(feed.description == "S");
    CHECK(feed.url == "/");
    CHECK(feed.language == "de");
    REQUIRE(feed.items.size() == 3);
    CHECK(feed.items[0].title == "A < B");
    CHECK(feed.items[0].url == "/1");
    CHECK(feed.items[0].author == "Ann");
    CHECK(feed.items[0].published == "2024-03-05");
    CHECK(feed.items[0].content == "<p>c</p>");
    CHECK(feed.items[1].content == "1 &lt; 2");
    CHECK(feed.items[2].content == "<div><p>a <a href=\"/l\">b</a> &amp; c</p></div>");
}

TEST_CASE("an RSS 1.0 feed is read") {
    const Feed feed =
        parse_feed(R"(<rdf:RDF xmlns:rdf="r" xmlns="s"><channel><title>F</title><link>/f</link></channel>
        <item><title>One</title><link>/1</link></item><item><title>Two</title></item></rdf:RDF>)")
            .value();

    CHECK(feed.title == "F");
    REQUIRE(feed.items.size() == 2);
    CHECK(feed.items[0].url == "/1");
}

TEST_CASE("of a broken feed what came before the break is kept, and that is said") {
    const Feed feed =
        parse_feed("<rss><channel><title>F</title><item><title>One</title></item><item></wrong>").value();

    CHECK(feed.items.size() >= 1);
    CHECK(feed.is_cut);
}

TEST_CASE("what is no feed is an error") {
    for (const char* text : {"", "not xml", "<rss></rss>", "<html><body>x</body></html>"}) {
        CAPTURE(text);
        CHECK(parse_feed(text).error().code == ErrorCode::corrupt);
    }
}

TEST_CASE("broken HTML in one item does not swallow the next") {
    const Feed feed{.title = "F",
                    .items = {{.title = "One", .url = "/1", .content = "<table><!-- <plaintext><b>x"},
                              {.title = "Two", .url = "/2", .content = "y"}}};
    const auto base = url::Url::parse("https://a.example/").value();

    const std::string html = to_html(feed, &base);

    CHECK(html.find("<h2><a href=\"https://a.example/2\">Two</a></h2>") != std::string::npos);
    CHECK(html.find("<plaintext>") == std::string::npos);
}
