#include "branding/color.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/ascii.h"

namespace quarry::branding {
namespace {

constexpr std::size_t longest_color = 64;

std::optional<int> hex_digit(char letter) {
    if (letter >= '0' && letter <= '9') return letter - '0';
    if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
    if (letter >= 'A' && letter <= 'F') return letter - 'A' + 10;
    return std::nullopt;
}

std::optional<Color> parse_hex(std::string_view digits) {
    const bool is_short = digits.size() == 3 || digits.size() == 4;
    if (!is_short && digits.size() != 6 && digits.size() != 8) return std::nullopt;
    std::array<int, 4> parts{0, 0, 0, 255};
    const std::size_t step = is_short ? 1 : 2;
    for (std::size_t i = 0; i * step < digits.size(); ++i) {
        const auto high = hex_digit(digits[i * step]), low = hex_digit(digits[i * step + step - 1]);
        if (!high || !low) return std::nullopt;
        parts[i] = *high * 16 + *low;
    }
    return Color{static_cast<std::uint8_t>(parts[0]), static_cast<std::uint8_t>(parts[1]),
                 static_cast<std::uint8_t>(parts[2]), parts[3] / 255.0};
}

bool is_between(char letter) {
    return letter == ' ' || letter == ',' || letter == '/';
}

// Takes the next number of a list, with a "%" of `whole` if it has one.
std::optional<double> take_number(std::string_view& rest, double whole) {
    while (!rest.empty() && is_between(rest.front())) rest.remove_prefix(1);
    double number = 0;
    const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (read.ec != std::errc() || !std::isfinite(number)) return std::nullopt;
    rest.remove_prefix(static_cast<std::size_t>(read.ptr - rest.data()));
    if (rest.empty() || rest.front() != '%') return number;
    rest.remove_prefix(1);
    return number / 100 * whole;
}

std::uint8_t channel(double number) {
    return static_cast<std::uint8_t>(std::lround(std::clamp(number, 0.0, 255.0)));
}

std::optional<Color> parse_function(std::string_view arguments) {
    const auto red = take_number(arguments, 255), green = take_number(arguments, 255);
    const auto blue = take_number(arguments, 255), alpha = take_number(arguments, 1);
    if (!red || !green || !blue) return std::nullopt;
    const bool is_over = std::ranges::all_of(arguments, is_between);
    if (!is_over) return std::nullopt;
    return Color{channel(*red), channel(*green), channel(*blue), std::clamp(alpha.value_or(1), 0.0, 1.0)};
}

double linear(std::uint8_t part) {
    const double share = part / 255.0;
    return share <= 0.04045 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4);
}

}  // namespace

std::optional<Color> parse_color(std::string_view text) {
    if (text.size() > longest_color) return std::nullopt;
    text = trimmed(text);
    if (text.starts_with('#')) return parse_hex(text.substr(1));
    const std::size_t open = text.find('(');
    if (open == std::string_view::npos || !text.ends_with(')')) return std::nullopt;
    const std::string_view name = text.substr(0, open);
    if (!equals_ignore_case(name, "rgb") && !equals_ignore_case(name, "rgba")) return std::nullopt;
    return parse_function(text.substr(open + 1, text.size() - open - 2));
}

std::string to_hex(const Color& color) {
    return fmt::format("#{:02X}{:02X}{:02X}", color.red, color.green, color.blue);
}

Color over(const Color& color, const Color& ground) {
    const auto mixed = [&](std::uint8_t upper, std::uint8_t lower) {
        return channel(upper * color.alpha + lower * (1 - color.alpha));
    };
    return {mixed(color.red, ground.red), mixed(color.green, ground.green), mixed(color.blue, ground.blue)};
}

double luminance(const Color& color) {
    return 0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue);
}

double contrast(const Color& one, const Color& other) {
    const double first = luminance(one), second = luminance(other);
    return (std::max(first, second) + 0.05) / (std::min(first, second) + 0.05);
}

bool is_vivid(const Color& color) {
    const auto [least, most] = std::minmax({color.red, color.green, color.blue});
    // Greys and near-blacks differ little at all, pale tints little for how bright they are.
    return most - least >= 40 && (most - least) * 4 >= most;
}

bool are_alike(const Color& one, const Color& other) {
    constexpr int most = 48;
    return std::abs(one.red - other.red) + std::abs(one.green - other.green) +
               std::abs(one.blue - other.blue) <=
           most;
}

bool is_dark(const Color& color) {
    return contrast(color, white) > contrast(color, black);
}

}  // namespace quarry::branding
