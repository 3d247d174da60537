#include "url/path.h"

#include <algorithm>

#include "base/ascii.h"
#include "url/percent.h"

namespace quarry::url {

namespace {

// How many dots the segment consists of ("%2e" is a dot too), or 0 if it has anything else or over two.
int dots_in(std::string_view segment) {
    if (segment.empty() || segment.size() > 6) return 0;
    int dots = 0;
    while (!segment.empty()) {
        if (segment[0] == '.') {
            segment.remove_prefix(1);
        } else if (segment.size() >= 3 && segment[0] == '%' && segment[1] == '2' &&
                   (segment[2] | 0x20) == 'e') {
            segment.remove_prefix(3);
        } else {
            return 0;
        }
        ++dots;
    }
    return dots <= 2 ? dots : 0;
}

void append_segment(std::string_view segment, PathContext context, std::string& href) {
    const bool first = href.size() == context.start;
    href += '/';
    if (context.scheme == SchemeKind::file && first && is_drive_letter(segment)) {
        href += segment[0];
        href += ':';
        return;
    }
    append_encoded(segment, EncodeSet::path, href);
}

std::size_t segment_end(std::string_view input, SchemeKind scheme) {
    const char other_slash = scheme == SchemeKind::other ? '/' : '\\';
    const auto end = std::ranges::find_if(input, [&](char c) { return c == '/' || c == other_slash; });
    return static_cast<std::size_t>(end - input.begin());
}

}  // namespace

void append_path(std::string_view input, PathContext context, std::string& href) {
    while (true) {
        const std::size_t end = segment_end(input, context.scheme);
        const bool last = end == input.size();
        const std::string_view segment = input.substr(0, end);
        const int dots = dots_in(segment);
        if (dots == 2) shorten_path(context, href);
        if (dots == 0) {
            append_segment(segment, context, href);
        } else if (last) {
            href += '/';  // "a/." and "a/b/.." name the folder: "a/"
        }
        if (last) return;
        input.remove_prefix(end + 1);
    }
}

void shorten_path(PathContext context, std::string& href) {
    const std::string_view path = std::string_view(href).substr(context.start);
    if (path.empty()) return;
    const bool lone_drive = path.size() == 3 && is_drive_letter(path.substr(1)) && path[2] == ':';
    if (context.scheme == SchemeKind::file && lone_drive) return;
    href.resize(context.start + path.rfind('/'));
}

bool starts_with_drive_letter(std::string_view path) {
    return is_drive_letter(path.substr(0, 2)) && (path.size() == 2 || path[2] == '/' || path[2] == '\\');
}

bool is_drive_letter(std::string_view segment) {
    return segment.size() == 2 && is_ascii_letter(segment[0]) && (segment[1] == ':' || segment[1] == '|');
}

}  // namespace quarry::url
