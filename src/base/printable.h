// Text from pages, servers and clients, made safe for a terminal or a log. A terminal obeys control
// characters, also those above ASCII (U+0080 to U+009F: U+009B begins a command as ESC [ does), and the
// reader of a log takes a line break for the end of an entry.
#pragma once

#include <string>
#include <string_view>

namespace quarry {

// The text with control characters and line separators replaced by spaces; a byte that is not UTF-8 becomes
// '?'. Every byte keeps its place, so that positions in the text stay valid.
std::string printable(std::string_view text);

// The same for text of several lines: line breaks and tabs stay, and so do the colours of quarry's own output
// ("\033[31m": ESC [, digits, m). Nothing else that a terminal obeys stays.
std::string printable_lines(std::string_view text);

// The text with bytes that are not UTF-8 replaced by U+FFFD, for formats that have to be UTF-8 (JSON).
std::string as_utf8(std::string_view text);

}  // namespace quarry
