// Protocols compare names and read lists of words by ASCII rules, whatever the locale. So do these.
#pragma once

#include <string>
#include <string_view>

namespace quarry {

inline constexpr std::string_view ascii_white_space = " \t\n\f\r";

constexpr bool is_ascii_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

constexpr bool is_ascii_digit(char c) {
    return c >= '0' && c <= '9';
}

std::string lower_case(std::string_view text);

// Without the white space around it.
std::string_view trimmed(std::string_view text);

// Compared without regard to ASCII case.
bool same_letters(std::string_view a, std::string_view b);

// True if the list of words, separated by white space as in rel and class, has the word, in any case.
bool has_word(std::string_view list, std::string_view word);

}  // namespace quarry
