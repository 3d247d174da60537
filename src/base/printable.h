// Words of strangers as a terminal or a log may have them. A terminal obeys control characters, also those
// above ASCII (U+0080 to U+009F: U+009B begins a command as ESC [ does), and a log's reader takes a line
// break for the end of an entry.
#pragma once

#include <string>
#include <string_view>

namespace quarry {

// The text without control characters and line separators, which become spaces; a byte that is not UTF-8
// becomes '?'. Every byte keeps its place, so that places in the text stay true.
std::string printable(std::string_view text);

// The same for text of several lines: line breaks and tabs stay, and so do the colours that we paint with
// ("\033[31m": ESC [, digits, m). Nothing else that a terminal obeys does.
std::string printable_lines(std::string_view text);

// The text with what is not UTF-8 in it replaced by U+FFFD, for what has to be UTF-8 (JSON).
std::string as_utf8(std::string_view text);

}  // namespace quarry
