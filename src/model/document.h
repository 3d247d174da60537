// What was extracted from a page, and the chunks it is cut into. Every URL in a document is absolute. A
// chunk is a passage: the unit that is embedded, indexed and found.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/ids.h"
#include "model/page_options.h"

namespace quarry {

// What was extracted from a page. Every URL in it is absolute.

struct Link {
    std::string url{};
    std::string text{};
    bool nofollow = false;  // every link to this URL says rel=nofollow
};

struct Image {
    std::string url{};
    std::string alt{};
};

// What robots meta tags and X-Robots-Tag headers ask of us.
struct RobotsDirectives {
    bool noindex = false;
    bool nofollow = false;
    bool noarchive = false;
    bool nosnippet = false;
};

// A name and its value, as a page states them.
using NamedValue = std::pair<std::string, std::string>;

struct Metadata {
    std::string title{};
    std::string description{};
    std::string language{};  // BCP 47, from the page or else detected; "" if unknown
    std::string canonical{};
    std::string author{};  // several are joined with ", "
    std::string site_name{};
    std::string published{};  // as the page states it, normalised to ISO 8601 where it could be read
    std::string modified{};
    std::string favicon{};
    std::string image{};  // the page's picture of itself (og:image)
    std::string keywords{};
    RobotsDirectives robots{};
    std::vector<NamedValue> open_graph{};   // "og:type" -> "article", in page order
    std::vector<NamedValue> dublin_core{};  // "dc.creator" -> …
    std::vector<NamedValue> other{};        // the remaining named <meta> tags
    std::vector<std::string> json_ld{};     // each a valid JSON text as found
    int pages = 0;                          // of a PDF; else 0
};

struct Document {
    std::string url{};       // the page's final URL, or the base given to `convert`
    std::string markdown{};  // the main content
    std::string html{};      // the main content as cleaned HTML, when asked for
    std::string raw_html{};  // the page as sent, in UTF-8, when asked for
    std::string text{};      // the main content as plain text, when asked for
    Metadata metadata{};
    std::vector<Link> links{};                  // of the whole page, each URL once, in order
    std::vector<Link> frames{};                 // what the page shows in frames; gathered with the links
    std::vector<Link> feeds{};                  // RSS and Atom feeds the page names; gathered with the links
    std::vector<Image> images{};                // of the whole page, each URL once, in order
    std::vector<AttributeValues> attributes{};  // those that were asked for
    bool made_by_scripts = false;               // next to nothing of it is there without a browser
    std::string warning{};                      // a sentence when something was cut or guessed; else ""
    std::string no_text{};  // why there is no text though some was asked for; "" if there is
};

// A passage of a document: the unit that is embedded, indexed and found.

struct Chunk {
    std::string text{};  // markdown; a part of a table or code block is whole again by itself
    std::vector<std::string> headings{};  // from the page's title downwards, without their #
    std::uint32_t begin = 0, end = 0;     // where in the page's markdown it was taken from, in bytes
};

// Which chunk: the nth of a page. Ids of an index's own never leave it.
struct ChunkRef {
    PageId page{};
    int index = 0;
    friend bool operator==(const ChunkRef&, const ChunkRef&) = default;
    friend auto operator<=>(const ChunkRef&, const ChunkRef&) = default;
};

}  // namespace quarry
