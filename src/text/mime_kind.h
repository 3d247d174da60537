// What kind of content a server sent: by its header where that is believable, by the bytes where it is not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace quarry::text {

enum class ContentKind : std::uint8_t {
    html,
    xhtml,
    plain_text,
    markdown,
    feed,     // RSS or Atom
    sitemap,  // a sitemap or an index of sitemaps
    xml,      // any other XML
    json,
    pdf,
    other,  // nothing that has text for us; `name` says what
};

struct Content {
    ContentKind kind = ContentKind::other;
    std::string name{};  // for people: "HTML page", "PNG image", "ZIP archive"
};

// `content_type` is the header as sent, or ""; `url_path` is used for its extension only, and only when the
// header says nothing useful; `first_bytes` are the body or its beginning (512 bytes are enough for all but
// XML with a long preamble). Pure; looks at no more than the first 4096 bytes.
//
// The header decides, except that
//  - a known signature (%PDF-, PNG, ZIP …) beats it;
//  - a binary type whose bytes are plainly HTML is HTML: error pages for missing files;
//  - a textual type whose bytes are binary is `other`;
//  - text/plain, application/octet-stream and nothing at all leave it to the bytes and the extension.
Content classify(std::string_view content_type, std::string_view url_path, std::string_view first_bytes);

}  // namespace quarry::text
