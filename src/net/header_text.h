// What reading HTTP headers needs again and again: ASCII only, independent of the locale.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "base/ascii.h"

namespace quarry::net {

using quarry::lower_case;
using quarry::trimmed;

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
