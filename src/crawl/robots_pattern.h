// The patterns of Allow and Disallow lines: a path prefix in which '*' stands for anything, and a '$' at the
// end for the path's end.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace quarry::crawl {

class PathPattern {
public:
    explicit PathPattern(std::string text) : text_(std::move(text)) {}

    // Linear in pattern and path, however many stars there are: each part between stars is looked for once,
    // from where the last was found. Taking the first place that fits is enough, since a later one leaves
    // less room.
    bool matches(std::string_view path) const;

    std::size_t length() const { return text_.size(); }  // the longest pattern that matches wins
    bool operator==(const PathPattern&) const = default;

private:
    std::string text_;
};

// The one form in which patterns and paths are compared (RFC 9309, 2.2.2): unreserved characters as they are,
// reserved ones as they were written, everything else as %XX with digits in upper case. So a '*' or '$' of a
// path is "%2A" or "%24", and in a pattern that wants to say it. Doing it twice changes nothing.
std::string pattern_form(std::string_view pattern);
std::string path_form(std::string_view path);

}  // namespace quarry::crawl
