#include "crawl/sitemap.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/ascii.h"
#include "crawl/gunzip.h"
#include "crawl/sitemap_builder.h"
#include "crawl/sitemap_xml.h"

namespace quarry::crawl {

namespace {

// A line of a text sitemap. Anything else would, read as a relative URL, turn prose into locations.
bool looks_like_location(std::string_view line) {
    return line.starts_with("http:") || line.starts_with("https:") ||
           (line.starts_with('/') && line.find(' ') == line.npos);
}

Result<Sitemap> parse_text_sitemap(std::string_view text, const url::Url& base) {
    SitemapBuilder builder(SitemapKind::text, base);
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    if (text.size() > max_sitemap_bytes) builder.warn("the file is over 50 MB and was cut there");
    text = text.substr(0, max_sitemap_bytes);
    std::size_t others = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find_first_of("\r\n"), text.size() - 1);
        const std::string_view line = trimmed(text.substr(0, end + 1));
        text.remove_prefix(end + 1);
        if (looks_like_location(line)) {
            const bool full = builder.is_full();
            builder.add({.loc = std::string(line)});
            if (full) break;
        } else if (!line.empty() && !line.starts_with('#')) {
            ++others;
        }
    }
    if (builder.is_empty()) return fail(ErrorCode::unsupported, "this is no sitemap: it lists no URLs");
    Sitemap sitemap = builder.take();
    sitemap.dropped += others;
    return sitemap;
}

// Whether the bytes begin as XML does, in UTF-8 or UTF-16, perhaps behind a byte order mark or a server's
// warning.
bool looks_like_xml(std::string_view bytes) {
    if (bytes.substr(0, 1024).find("<?xml") != std::string_view::npos) return true;
    const std::size_t start = bytes.find_first_not_of(std::string_view("\xEF\xBB\xBF\xFE\xFF\0 \t\r\n", 10));
    return start != std::string_view::npos && bytes[start] == '<';
}

}  // namespace

Result<Sitemap> parse_sitemap(std::string_view bytes, const url::Url& base) {
    Unpacked unpacked;
    if (is_gzip(bytes)) {
        unpacked = TRY(gunzip_bounded(bytes, max_sitemap_bytes));
        bytes = unpacked.bytes;
    }
    if (trimmed(bytes).empty()) return fail(ErrorCode::corrupt, "the sitemap is empty");
    Sitemap sitemap =
        TRY(looks_like_xml(bytes) ? parse_xml_sitemap(bytes, base) : parse_text_sitemap(bytes, base));
    // A cut file is broken XML too; the reason is worth more than the symptom.
    if (!unpacked.warning.empty()) sitemap.warning = unpacked.warning;
    return sitemap;
}

}  // namespace quarry::crawl
