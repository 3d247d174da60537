// HTML compares names, and reads lists of words in attributes, by ASCII rules. So do these.
#pragma once

#include <string>
#include <string_view>

namespace quarry::extract {

inline constexpr std::string_view ascii_white_space = " \t\n\f\r";

std::string lower_case(std::string_view text);

// Without the white space around it.
std::string_view trimmed(std::string_view text);

// Compared without regard to ASCII case.
bool same_letters(std::string_view a, std::string_view b);

// True if the list of words, separated by white space as in rel and class, has the word, in any case.
bool has_word(std::string_view list, std::string_view word);

}  // namespace quarry::extract
