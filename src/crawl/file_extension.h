// What the end of a path tells about what is behind it, before it is fetched.
#pragma once

#include <cstdint>
#include <string_view>

namespace quarry::crawl {

enum class FileKind : std::uint8_t {
    unknown,  // no extension, or one that says nothing
    page,     // html, php, pdf, txt …: something to read
    other,    // an image, an archive, a font, a style sheet …: certainly no page
};

// Judged by the last segment's extension, in any letter case. A segment with a colon is a page whatever it
// ends in: wikis describe a picture at `File:Map.png`.
FileKind file_kind(std::string_view path);

}  // namespace quarry::crawl
