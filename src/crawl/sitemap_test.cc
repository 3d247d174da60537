#include "crawl/sitemap.h"

#include <fstream>
#include <sstream>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <zlib.h>

using namespace quarry::crawl;
using quarry::ErrorCode;
using quarry::url::Url;

namespace {

const Url base = Url::parse("https://a.example/maps/sitemap.xml").value();

Sitemap parsed(std::string_view bytes) {
    auto sitemap = parse_sitemap(bytes, base);
    REQUIRE(sitemap);
    return *std::move(sitemap);
}

std::vector<std::string> locations(const Sitemap& sitemap) {
    std::vector<std::string> result;
    for (const SitemapEntry& entry : sitemap.entries) result.push_back(entry.loc);
    return result;
}

using Strings = std::vector<std::string>;

}  // namespace

TEST_CASE("a sitemap lists pages with their dates") {
    const Sitemap sitemap = parsed(R"(<?xml version="1.0" encoding="UTF-8"?>
        <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
          <url><loc> https://a.example/b?c=1&amp;d=2
          </loc><lastmod>2024-05-01</lastmod><priority>0.5</priority></url>
          <url><lastmod>2024-05-02</lastmod><loc><![CDATA[https://a.example/é]]></loc></url>
        </urlset>)");

    CHECK(sitemap.kind == SitemapKind::pages);
    REQUIRE(locations(sitemap) == Strings{"https://a.example/b?c=1&d=2", "https://a.example/%C3%A9"});
    CHECK(sitemap.entries[0].lastmod == "2024-05-01");
    CHECK(sitemap.entries[1].lastmod == "2024-05-02");
    CHECK(sitemap.warning == "");
}

TEST_CASE("pictures, videos and translations are not pages") {
    const Sitemap sitemap = parsed(R"(<s:urlset><s:url><s:loc>https://a.example/b</s:loc>
        <image:image><image:loc>https://a.example/b.png</image:loc></image:image>
        <xhtml:link rel="alternate" hreflang="de" href="https://a.example/de"/></s:url></s:urlset>)");

    CHECK(locations(sitemap) == Strings{"https://a.example/b"});
}

TEST_CASE("relative locations are resolved, and other schemes dropped") {
    const Sitemap sitemap = parsed(
        "<urlset><url><loc>/b</loc></url><url><loc>c</loc></url><url><loc>//b.example/</loc></url>"
        "<url><loc>file:///etc/passwd</loc></url><url><loc>gopher://a.example/</loc></url>"
        "<url><loc>javascript:alert(1)</loc></url><url><loc>http://[</loc></url><url><loc/></url></urlset>");

    CHECK(locations(sitemap) ==
          Strings{"https://a.example/b", "https://a.example/maps/c", "https://b.example/"});
    CHECK(sitemap.dropped == 4);
}

TEST_CASE("an index names other sitemaps, but never itself") {
    const Sitemap sitemap = parsed(
        "<sitemapindex><sitemap><loc>https://a.example/1.xml.gz</loc><lastmod>x</lastmod></sitemap>"
        "<sitemap><loc>sitemap.xml</loc></sitemap><sitemap><loc>2.xml</loc></sitemap></sitemapindex>");

    CHECK(sitemap.kind == SitemapKind::index);
    CHECK(sitemap.children == Strings{"https://a.example/1.xml.gz", "https://a.example/maps/2.xml"});
    CHECK(sitemap.entries.empty());
}

TEST_CASE("an RSS feed lists its items") {
    const Sitemap sitemap =
        parsed(R"(<rss version="2.0"><channel><title>Site</title><link>https://a.example/</link>
        <item><title>One &amp; only</title><link>https://a.example/1</link><pubDate>Mon, 06 May 2024 10:00:00 GMT</pubDate>
          <media:title>no</media:title><media:content url="https://a.example/x.png"/></item>
        <item><guid>https://a.example/2</guid></item>
        <item><guid isPermaLink="false">17</guid></item>
        <item><guid isPermaLink="false">17</guid><atom:link href="https://a.example/3"/></item>
        </channel></rss>)");

    CHECK(sitemap.kind == SitemapKind::rss);
    CHECK(locations(sitemap) == Strings{"https://a.example/1", "https://a.example/2", "https://a.example/3"});
    CHECK(sitemap.entries[0].title == "One & only");
    CHECK(sitemap.entries[0].lastmod == "Mon, 06 May 2024 10:00:00 GMT");
}

TEST_CASE("an RSS 1.0 feed lists its items") {
    CHECK(locations(parsed("<rdf:RDF><channel><link>https://a.example/</link></channel><item rdf:about='x'>"
                           "<link>https://a.example/1</link><dc:date>2024</dc:date></item></rdf:RDF>")) ==
          Strings{"https://a.example/1"});
}

TEST_CASE("an Atom feed lists its entries") {
    const Sitemap sitemap =
        parsed(R"(<feed xmlns="http://www.w3.org/2005/Atom"><link rel="self" href="/atom.xml"/>
        <entry><title type="xhtml"><div>On<b>e</b></div></title><link rel="edit" href="/edit"/>
          <link rel="alternate" href="/1"/><link href="/other"/><published>2024-05-01</published>
          <updated>2024-05-02</updated><content>text</content></entry></feed>)");

    CHECK(sitemap.kind == SitemapKind::atom);
    REQUIRE(locations(sitemap) == Strings{"https://a.example/1"});
    CHECK(sitemap.entries[0].title == "One");
    CHECK(sitemap.entries[0].lastmod == "2024-05-02");
}

TEST_CASE("a text sitemap has one URL per line") {
    const Sitemap sitemap =
        parsed("\xEF\xBB\xBFhttps://a.example/1\r\n\n# comment\n  https://a.example/2  \n/3\nsome words\n");

    CHECK(sitemap.kind == SitemapKind::text);
    CHECK(locations(sitemap) == Strings{"https://a.example/1", "https://a.example/2", "https://a.example/3"});
    CHECK(sitemap.dropped == 1);
}

TEST_CASE("llms.txt lists its links with their titles") {
    const Sitemap sitemap = parse_llms_txt(
        "# Site\n> [Home](/) and [About](<about us.md>)\n"
        "- [Guide](guide.md \"The guide\"): how to\n- ![logo](logo.png)\n- [Wiki](/x_(y)) "
        "[mail](mailto:a@b.example)\n"
        "- [Top](#top)\n[unclosed](x\n[]()",
        base);

    CHECK(sitemap.kind == SitemapKind::llms_txt);
    REQUIRE(locations(sitemap) == Strings{"https://a.example/", "https://a.example/maps/about%20us.md",
                                          "https://a.example/maps/guide.md", "https://a.example/x_(y)"});
    CHECK(sitemap.entries[2].title == "Guide");
    CHECK(sitemap.dropped == 1);
}

TEST_CASE("a broken sitemap gives what came before, and says so") {
    const Sitemap sitemap = parsed(
        "<urlset><url><loc>https://a.example/1</loc></url><url><loc>https://a.example/2</loc><lastmod>20");

    CHECK(locations(sitemap) == Strings{"https://a.example/1", "https://a.example/2"});
    CHECK(sitemap.warning == "the XML is broken at line 1, column 96: no element found");
}

TEST_CASE("the faults that sitemaps have in practice cost nothing") {
    CHECK(locations(parsed(
              "<br />\n<b>Warning</b> <?xml version='1.0'?><urlset><url><loc>/a</loc></url></urlset>")) ==
          Strings{"https://a.example/a"});
    CHECK(
        locations(parsed("Warning: x\n<?xml version='1.0'?><urlset><url><loc>/?a&b</loc></url></urlset>")) ==
        Strings{"https://a.example/?a&b"});
    CHECK(locations(parsed("<urlset><url><loc>/a</loc><news:title>b&nbsp;c</news:title></url></urlset>")) ==
          Strings{"https://a.example/a"});
}

TEST_CASE("what is no sitemap is an error that says what it is") {
    const auto error_of = [](std::string_view bytes) { return parse_sitemap(bytes, base).error(); };

    CHECK(error_of("<!DOCTYPE html><html><head><meta><title>Not found</title>").message ==
          "this is no sitemap or feed but a document of type <html>");
    CHECK(error_of("<html/>").code == ErrorCode::unsupported);
    CHECK(error_of("Not found\n").code == ErrorCode::unsupported);
    CHECK(error_of("{\"error\": 404}").code == ErrorCode::unsupported);
    CHECK(error_of("").code == ErrorCode::corrupt);
    CHECK(error_of("<urlset><url><loc>https://a.exam").code == ErrorCode::corrupt);
    CHECK(error_of("\x1f\x8b\x08").code == ErrorCode::corrupt);
}

TEST_CASE("an empty sitemap is one without pages") {
    CHECK(parsed("<urlset/>").entries.empty());
}

TEST_CASE("over 50,000 URLs the rest is left out, and that is said") {
    std::string xml = "<urlset>", text;
    for (std::size_t i = 0; i <= max_sitemap_urls; ++i) {
        xml += fmt::format("<url><loc>/{}</loc></url>", i);
        text += fmt::format("/{}\n", i);
    }
    for (const std::string& file : {xml, text}) {
        const Sitemap sitemap = parsed(file);

        CHECK(sitemap.entries.size() == max_sitemap_urls);
        CHECK(sitemap.warning == "it lists over 50000 URLs; the rest is left out");
    }
}

using namespace quarry::crawl;
using quarry::ErrorCode;

namespace {

std::string gzipped(const std::string& text) {
    z_stream stream{};
    deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    std::string out(deflateBound(&stream, text.size()), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

// Text that gzip cannot shorten much, so that a part of the file is a part of the text.
std::string noise(std::size_t size) {
    std::string text;
    unsigned state = 1;
    while (text.size() < size) text += static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
    return text;
}

}  // namespace

TEST_CASE("a gzip file is unpacked, also one of several parts and with padding behind") {
    CHECK(gunzip_bounded(gzipped("hello"), 100).value().bytes == "hello");
    CHECK(gunzip_bounded(gzipped("hello "), 100).value().warning == "");
    CHECK(gunzip_bounded(gzipped("hello ") + gzipped("world"), 100).value().bytes == "hello world");
    CHECK(gunzip_bounded(gzipped("hello") + std::string(100, '\0'), 100).value().bytes == "hello");
    CHECK(gunzip_bounded(gzipped(""), 100).value().bytes == "");
}

TEST_CASE("a truncated or damaged gzip file gives what came before, with a warning") {
    const std::string text = noise(100'000);
    const std::string file = gzipped(text);

    const auto cut = gunzip_bounded(std::string_view(file).substr(0, file.size() / 2), 1'000'000).value();
    CHECK(cut.bytes.size() > 10'000);
    CHECK(text.starts_with(cut.bytes));
    CHECK(cut.warning == "the gzip file ends too early");

    std::string damaged = file;
    damaged[damaged.size() - 5] ^= 0x55;  // in the checksum
    CHECK(gunzip_bounded(damaged, 1'000'000).value().bytes == text);
    CHECK(gunzip_bounded(damaged, 1'000'000).value().warning == "the gzip file is damaged");
}

TEST_CASE("a gzip file that unpacks to more than the limit is cut there") {
    CHECK(gunzip_bounded(gzipped("12345"), 5).value().warning == "");
    CHECK(gunzip_bounded(gzipped("12345"), 4).value().bytes == "1234");
    CHECK(gunzip_bounded(gzipped("12345"), 4).value().warning ==
          "the gzip file unpacks to over 4 bytes and was cut there");
}

TEST_CASE("what is no gzip file is an error") {
    CHECK(gunzip_bounded("", 10).error().code == ErrorCode::corrupt);
    CHECK(gunzip_bounded("<xml>", 10).error().code == ErrorCode::corrupt);
    CHECK(gunzip_bounded("\x1f\x8b", 10).error().code == ErrorCode::corrupt);
    CHECK(gunzip_bounded("\x1f\x8bnonsense", 10).error().code == ErrorCode::corrupt);
}

TEST_CASE("a bomb of 200 MB stays within the limit") {
    std::ifstream file(QUARRY_SUITES "/suites/bombs/200MB-zeros.gz", std::ios::binary);
    if (!file) {
        MESSAGE("skipped: no " QUARRY_SUITES "/suites/bombs/200MB-zeros.gz");
        return;
    }
    std::stringstream bomb;
    bomb << file.rdbuf();

    const auto unpacked = gunzip_bounded(bomb.str(), 1'000'000).value();

    CHECK(unpacked.bytes.size() == 1'000'000);
    CHECK(unpacked.warning != "");
}
