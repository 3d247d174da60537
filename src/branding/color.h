// Colours as a browser computes them, and what an eye makes of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace quarry::branding {

struct Color {
    std::uint8_t red = 0, green = 0, blue = 0;
    double alpha = 1;  // 0 to 1

    bool operator==(const Color&) const = default;
};

inline constexpr Color white{255, 255, 255}, black{0, 0, 0};

// "rgb(1, 2, 3)", "rgba(1, 2, 3, 0.5)", "rgb(1 2 3 / 50%)", "#123", "#112233" and "#11223380". Nothing for
// everything else: names and wider spaces do not come out of a computed style, or the browser was asked to
// turn them into these.
std::optional<Color> parse_color(std::string_view text);

// "#1A2B3C". What shines through it is not said.
std::string to_hex(const Color& color);

// What is seen of it on an opaque ground.
Color over(const Color& color, const Color& ground);

// 0 for black to 1 for white, and how well two can be told apart, from 1 to 21: WCAG 2.2, "relative
// luminance" and "contrast ratio".
double luminance(const Color& color);
double contrast(const Color& one, const Color& other);

// Neither a grey nor so near to black or white that it passes for one.
bool is_vivid(const Color& color);

// Too near to each other to be two colours of one design.
bool are_alike(const Color& one, const Color& other);

// Text on it is better white than black.
bool is_dark(const Color& color);

}  // namespace quarry::branding
