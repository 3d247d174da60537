// What reading HTTP headers needs again and again: ASCII only, independent of the locale.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace quarry::net {

// Without spaces, tabs and line ends on both sides.
constexpr std::string_view trimmed(std::string_view text) {
    constexpr std::string_view white_space = " \t\r\n";
    const auto first = text.find_first_not_of(white_space);
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(white_space) - first + 1);
}

inline std::string lower_case(std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return result;
}

constexpr bool is_all_digits(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// Removes and returns everything before the next `separator`, which is removed too.
constexpr std::string_view take_until(std::string_view& rest, char separator) {
    const auto end = std::min(rest.find(separator), rest.size());
    const std::string_view part = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return part;
}

}  // namespace quarry::net
