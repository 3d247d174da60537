#include "base/ascii.h"

#include <algorithm>

namespace quarry {

std::string lower_case(std::string_view text) {
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(), to_ascii_lower);
    return lower;
}

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(ascii_white_space);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(ascii_white_space) - first + 1);
}

bool equals_ignore_case(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, {}, to_ascii_lower, to_ascii_lower);
}

bool starts_with_ignore_case(std::string_view text, std::string_view lower_case_prefix) {
    return text.size() >= lower_case_prefix.size() &&
           std::ranges::equal(text.substr(0, lower_case_prefix.size()), lower_case_prefix, {},
                              to_ascii_lower);
}

bool has_word(std::string_view list, std::string_view word) {
    while (!(list = trimmed(list)).empty()) {
        const std::size_t end = std::min(list.find_first_of(ascii_white_space), list.size());
        if (equals_ignore_case(list.substr(0, end), word)) return true;
        list.remove_prefix(end);
    }
    return false;
}

}  // namespace quarry
