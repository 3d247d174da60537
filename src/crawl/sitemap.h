// Files in which a site lists its pages: sitemaps (XML and text), sitemap indexes, RSS and Atom feeds,
// llms.txt. gunzip_bounded unpacks .xml.gz files: what a server sends as a file is not unpacked by the HTTP
// client.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "url/url.h"

namespace quarry::crawl {

// Unpacks .xml.gz files: what a server sends as a file is not unpacked by the HTTP client.

struct Unpacked {
    std::string bytes{};
    std::string warning{};  // a sentence if this is not all there was to come; else ""
};

bool is_gzip(std::string_view bytes);

// Unpacks at most `limit` bytes. A file that is cut off, damaged later on or larger than the limit gives what
// came before, with a warning; one that is no gzip at all fails with `corrupt`.
Result<Unpacked> gunzip_bounded(std::string_view bytes, std::size_t limit);

// Files in which a site lists its pages: sitemaps (XML and text), sitemap indexes, RSS and Atom feeds,
// llms.txt.

// The protocol's own bounds (sitemaps.org). What exceeds them is left out, and said.
inline constexpr std::size_t max_sitemap_urls = 50'000;
inline constexpr std::size_t max_sitemap_bytes = 50 << 20;

enum class SitemapKind { pages, index, text, rss, atom, llms_txt };

struct SitemapEntry {
    std::string loc{};      // absolute, http or https, as Url::href() writes it
    std::string lastmod{};  // as stated; "" if it is not
    std::string title{};    // feeds and llms.txt have titles
};

struct Sitemap {
    SitemapKind kind = SitemapKind::pages;
    std::vector<SitemapEntry> entries{};  // pages
    std::vector<std::string> children{};  // other sitemaps, named by an index; never the file itself
    std::size_t dropped = 0;              // locations that are no http(s) URL
    std::string warning{};                // a sentence if the file was broken or cut; else ""
};

// Reads a sitemap of any kind but llms.txt, told apart by content; gzip is unpacked first. Relative locations
// are resolved against `base`, the file's own URL. A file that breaks off gives what came before and a
// warning. Fails with `unsupported` if it is something else (a page that says "not found", say), with
// `corrupt` if it is broken before its first location.
Result<Sitemap> parse_sitemap(std::string_view bytes, const url::Url& base);

// Reads the links of a markdown file such as llms.txt: [title](location). Never fails; it may hold none.
Sitemap parse_llms_txt(std::string_view markdown, const url::Url& base);

}  // namespace quarry::crawl
