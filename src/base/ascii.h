// Protocols compare names and read lists of words by ASCII rules, whatever the locale. So do these.
#pragma once

#include <string>
#include <string_view>

namespace quarry {

inline constexpr std::string_view ascii_white_space = " \t\n\f\r";

constexpr bool is_ascii_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
}

constexpr bool is_ascii_lower(char c) {
    return c >= 'a' && c <= 'z';
}

constexpr bool is_ascii_upper(char c) {
    return c >= 'A' && c <= 'Z';
}

constexpr bool is_ascii_letter(char c) {
    return is_ascii_lower(c) || is_ascii_upper(c);
}

constexpr bool is_ascii_digit(char c) {
    return c >= '0' && c <= '9';
}

constexpr bool is_ascii_alphanumeric(char c) {
    return is_ascii_letter(c) || is_ascii_digit(c);
}

constexpr bool is_ascii_punctuation(char c) {
    return c > ' ' && c < 0x7F && !is_ascii_alphanumeric(c);
}

// What names of headers and parts of media types are made of (RFC 9110, token).
constexpr bool is_http_token_character(char c) {
    return is_ascii_alphanumeric(c) || std::string_view("!#$%&'*+-.^_`|~").contains(c);
}

// A byte of a character that began before it.
constexpr bool is_utf8_continuation(char c) {
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

constexpr char to_ascii_lower(char c) {
    return is_ascii_upper(c) ? static_cast<char>(c + ('a' - 'A')) : c;
}

std::string lower_case(std::string_view text);

// Without the white space around it.
std::string_view trimmed(std::string_view text);

// Compared without regard to ASCII case.
bool equals_ignore_case(std::string_view a, std::string_view b);

// True if the text begins with `lower_case_prefix`, in any case.
bool starts_with_ignore_case(std::string_view text, std::string_view lower_case_prefix);

// True if the list of words, separated by white space as in rel and class, has the word, in any case.
bool has_word(std::string_view list, std::string_view word);

}  // namespace quarry
