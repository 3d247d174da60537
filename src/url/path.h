// The path state of the URL standard, working on the serialised path in place: a ".." shortens the string
// that is being written, so no list of segments is ever built.
#pragma once

#include <string>
#include <string_view>

#include "url/parser.h"

namespace quarry::url {

// Where in a URL under construction the path begins, and by which rules it grows.
struct PathContext {
    std::size_t start = 0;
    SchemeKind scheme = SchemeKind::other;
};

// Appends the segments of `input`, the text behind the path's first slash (if it had one), to `href`,
// resolving
// "." and "..".
void append_path(std::string_view input, PathContext context, std::string& href);

// Removes the last segment, except a file URL's drive letter.
void shorten_path(PathContext context, std::string& href);

// "C:" or "C|" at the start of a path, followed by nothing or a slash.
bool starts_with_drive_letter(std::string_view path);

// Exactly "C:" or "C|".
bool is_drive_letter(std::string_view segment);

}  // namespace quarry::url
