// Which characters of plain text markdown would misread, and how to write them so that it does not. It
// escapes only what can be misread: output is for people and models, and backslashes are noise to both.
// Most text needs no escape at all; find_plain_end says how far such text goes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace quarry::extract::markdown {

// Which characters of plain text markdown would misread, and how to write them so that it does not. Only what
// can be misread is escaped: output is for people and models, and backslashes are noise to both.

// How a byte of text is to be looked at while writing it.
enum class ByteClass : std::uint8_t {
    plain,    // copied as it is
    space,    // ASCII white space: collapses with its neighbours
    special,  // may begin markdown: ask needs_backslash
    lead,     // may begin a no-break space, a zero-width character or a soft hyphen: ask read_invisible
    dropped,  // a control character
};

constexpr std::array<ByteClass, 256> make_byte_classes() {
    std::array<ByteClass, 256> classes{};
    for (std::size_t byte = 0; byte < 32; ++byte) classes[byte] = ByteClass::dropped;
    classes[127] = ByteClass::dropped;
    for (const char c : {' ', '\t', '\n', '\v', '\f', '\r'})
        classes[static_cast<unsigned char>(c)] = ByteClass::space;
    for (const char c : {'\\', '`', '*', '_', '[', ']', '<', '&', '~', '$'})
        classes[static_cast<unsigned char>(c)] = ByteClass::special;
    // U+0080..00BF, U+1680, U+2000..206F, U+3000 and U+FEFF begin with these bytes.
    for (const std::size_t lead : {0xC2, 0xE1, 0xE2, 0xE3, 0xEF}) classes[lead] = ByteClass::lead;
    return classes;
}
inline constexpr std::array<ByteClass, 256> byte_classes = make_byte_classes();

inline ByteClass byte_class(char byte) {
    return byte_classes[static_cast<unsigned char>(byte)];
}

// True if there is nothing but ASCII white space.
inline bool is_blank_text(std::string_view text) {
    for (const char c : text) {
        if (byte_class(c) != ByteClass::space) return false;
    }
    return true;
}

// Stands for a delimiter or a bracket where the byte before a character is asked for.
inline constexpr char mark_byte = '\x01';

// Around the character in question: the byte before it on the line ('\0' at the line's start), and what it
// stands in.
struct EscapeContext {
    char before = '\0';
    bool in_link = false;
    bool in_strike = false;
    bool has_math = false;  // the page has $…$, so that a lone dollar must not begin one
};

// True if the special character at text[at] has to be written with a backslash. Runs of *, _ and ~ are asked
// about once, at their first character. What follows the end of `text` is not known, so that there the answer
// is the safe one.
bool needs_backslash(std::string_view text, std::size_t at, const EscapeContext& context);

// The byte length of the invisible character at text[at], and whether it stands for a space. Zero bytes: an
// ordinary character.
struct Invisible {
    std::size_t bytes = 0;
    bool is_space = false;
};
Invisible read_invisible(std::string_view text, std::size_t at);

// Where a backslash is needed for this line of a paragraph not to begin a heading, list, quote, rule, table,
// fence or definition; npos if nowhere.
enum class LinePlace : std::uint8_t { first, continuation };
std::size_t line_start_escape(std::string_view line, LinePlace place);

// Appends text in which every character that means something is escaped: the alternative text of an image.
// White space is collapsed.
void append_alternative_text(std::string& out, std::string_view text);

// Appends a link's destination, in <…> if it has to be. Line breaks and tabs inside a URL are no part of it.
void append_destination(std::string& out, std::string_view destination);

// Appends ` "title"`, or nothing if the title is blank.
void append_title(std::string& out, std::string_view title);

// Most of a page's text needs no second look when it is written as markdown. This finds how far that goes.

// The end of the plain stretch that begins at `start`: bytes of ByteClass::plain, and single spaces between
// them.
std::size_t find_plain_end(std::string_view text, std::size_t start);

// The same, byte by byte: for processors without AVX2, and to test the other against.
std::size_t find_plain_end_slowly(std::string_view text, std::size_t start);

}  // namespace quarry::extract::markdown
