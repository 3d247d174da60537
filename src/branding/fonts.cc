#include "branding/fonts.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"

namespace quarry::branding {
namespace {

constexpr std::size_t most_names = 12;
constexpr std::size_t hash_digits = 6;

constexpr std::array<std::string_view, 16> generic_fonts{
    "serif",         "sans-serif",         "monospace",    "cursive",    "fantasy", "system-ui",
    "ui-serif",      "ui-sans-serif",      "ui-monospace", "ui-rounded", "math",    "emoji",
    "-apple-system", "blinkmacsystemfont", "inherit",      "initial"};

// One name, which ends at a comma that is not in quotes.
std::string take_name(std::string_view& rest) {
    std::string name;
    char quote = 0;
    while (!rest.empty()) {
        const char letter = rest.front();
        rest.remove_prefix(1);
        if (letter == '\\' && !rest.empty()) {
            name += rest.front();
            rest.remove_prefix(1);
        } else if (quote != 0 && letter == quote) {
            quote = 0;
        } else if (quote == 0 && (letter == '"' || letter == '\'')) {
            quote = letter;
        } else if (quote == 0 && letter == ',') {
            break;
        } else {
            name += letter;
        }
    }
    return std::string(trimmed(name));
}

bool is_hash(std::string_view text) {
    return text.size() == hash_digits && std::ranges::all_of(text, [](char letter) {
               return is_ascii_digit(letter) || (letter >= 'a' && letter <= 'f');
           });
}

// "__Open_Sans_d65c78" is "Open Sans".
std::string without_mangling(std::string name) {
    if (!name.starts_with("__")) return name;
    std::string_view inner = std::string_view(name).substr(2);
    const std::size_t last = inner.rfind('_');
    if (last == std::string_view::npos || !is_hash(inner.substr(last + 1))) return name;
    std::string plain(inner.substr(0, last));
    std::ranges::replace(plain, '_', ' ');
    return std::string(trimmed(plain));
}

bool is_stand_in(std::string_view name) {
    return lower_case(name).ends_with(" fallback");
}

}  // namespace

std::vector<std::string> font_stack(std::string_view list) {
    std::vector<std::string> names;
    while (!list.empty() && names.size() < most_names) {
        std::string name = without_mangling(take_name(list));
        if (name.empty() || is_stand_in(name)) continue;
        if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    }
    return names;
}

bool is_generic_font(std::string_view name) {
    return std::ranges::find(generic_fonts, lower_case(name)) != generic_fonts.end();
}

std::string first_font(std::string_view list) {
    const std::vector<std::string> names = font_stack(list);
    const auto font = std::ranges::find_if_not(names, is_generic_font);
    if (font != names.end()) return *font;
    return names.empty() ? "" : names.front();
}

}  // namespace quarry::branding
