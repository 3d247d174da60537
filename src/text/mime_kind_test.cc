#include "text/mime_kind.h"

#include <string>

#include <doctest/doctest.h>

using namespace quarry::text;
using namespace std::string_literals;

TEST_CASE("content is told by header, signature and bytes") {
    using enum ContentKind;
    const std::string png = "\x89PNG\r\n\x1A\n....";
    const struct {
        std::string_view content_type, path;
        std::string bytes;
        ContentKind kind;
        std::string_view name;
    } cases[] = {
        // The header is believed where the bytes do not contradict it.
        {"text/html; charset=utf-8", "/", "hello", html, "HTML page"},
        {"application/xhtml+xml", "/", "<html/>", xhtml, "XHTML page"},
        {"text/markdown", "/", "# Hi", markdown, "markdown"},
        {"text/plain", "/a.txt", "<p>not html</p>", plain_text, "plain text"},
        {"text/plain", "/README.MD", "# Hi", markdown, "markdown"},
        {"text/csv", "/a", "a,b", plain_text, "plain text"},
        {"application/json", "/", "{}", json, "JSON"},
        {"application/ld+json", "/", "{}", json, "JSON"},
        {"application/rss+xml", "/", "<rss/>", feed, "feed"},
        {"image/png", "/", "", other, "image"},
        {"image/svg+xml", "/", "<svg/>", other, "SVG image"},
        {"text/css", "/", "p{}", other, "style sheet"},
        {"application/x-thing", "/", "abc", other, "application/x-thing content"},
        {"application/msword", "/", "abc", other, "Word document"},
        // XML is told by its first element.
        {"text/xml", "/", "<?xml version='1.0'?><!-- c --><rss version='2.0'>", feed, "feed"},
        {"application/xml", "/", "\xEF\xBB\xBF<feed xmlns='x'>", feed, "feed"},
        {"application/xml", "/", "<urlset>", sitemap, "sitemap"},
        {"text/xml", "/", "<?xml version='1.0'?><sitemapindex/>", sitemap, "sitemap"},
        {"text/xml", "/", "<?xml version='1.0'?><!DOCTYPE html><html>", xhtml, "XHTML page"},
        {"text/xml", "/", "<note/>", xml, "XML"},
        {"application/vnd.x+xml", "/", "<note/>", xml, "XML"},
        // Signatures beat the header.
        {"text/html", "/", "%PDF-1.7\n", pdf, "PDF document"},
        {"application/octet-stream", "/", "junk%PDF-1.4", pdf, "PDF document"},
        {"text/html", "/", png, other, "PNG image"},
        {"text/plain", "/", "PK\3\4....", other, "ZIP archive"},
        {"", "/", "RIFF....WEBPVP8 ", other, "WebP image"},
        {"", "/", "PK\3\4..................[Content_Types].xml", other, "Office document"},
        // Binary bytes under a textual label.
        {"text/plain", "/", "abc\0def"s, other, "binary data"},
        {"text/html", "/", "\1\2\3"s, other, "binary data"},
        {"text/plain", "/", "\xFF\xFEh\0i\0"s, plain_text, "plain text"},
        // An error page under a binary label.
        {"image/png", "/", "<!DOCTYPE html><html>", html, "HTML page"},
        {"application/pdf", "/", "<html><body>404</body></html>", html, "HTML page"},
        {"application/zip", "/", "  <html >", html, "HTML page"},
        // No header, or one that says nothing.
        {"", "/", "  <!doctype HTML><p>", html, "HTML page"},
        {"", "/", "<p>text", html, "HTML page"},
        {"", "/", "<pre>", plain_text, "plain text"},
        {"", "/", "<?xml version='1.0'?><html xmlns='x'>", xhtml, "XHTML page"},
        {"", "/", "<rss>", feed, "feed"},
        {"application/octet-stream", "/notes.md", "# Hi", markdown, "markdown"},
        {"application/octet-stream", "/a.json", "{}", json, "JSON"},
        {"nonsense", "/", "hello", plain_text, "plain text"},
        {"", "", "", plain_text, "plain text"},
    };
    for (const auto& [content_type, path, bytes, kind, name] : cases) {
        CAPTURE(content_type);
        CAPTURE(path);
        CAPTURE(bytes);
        const Content content = classify(content_type, path, bytes);
        CHECK(content.kind == kind);
        CHECK(content.name == name);
    }
}
