#include "base/units.h"

#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/ascii.h"

namespace quarry {
namespace {

struct Unit {
    std::string_view name;
    double factor;
};

constexpr std::array duration_units = {Unit{"ms", 1},     Unit{"s", 1000},     Unit{"", 1000},
                                       Unit{"m", 60'000}, Unit{"min", 60'000}, Unit{"h", 3'600'000}};
constexpr double kilo = 1024;
constexpr std::array size_units = {Unit{"", 1},
                                   Unit{"b", 1},
                                   Unit{"k", kilo},
                                   Unit{"kb", kilo},
                                   Unit{"m", kilo* kilo},
                                   Unit{"mb", kilo* kilo},
                                   Unit{"g", kilo* kilo* kilo},
                                   Unit{"gb", kilo* kilo* kilo}};

constexpr double longest_duration = 366.0 * 24 * 3'600'000;
constexpr double largest_size = 1e15;

// A number and a unit, multiplied out; NaN if the text is not that.
template <std::size_t count>
double scaled(std::string_view text, const std::array<Unit, count>& units) {
    double number = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{}) return std::nan("");
    std::string_view suffix(rest, static_cast<std::size_t>(text.data() + text.size() - rest));
    while (suffix.starts_with(' ')) suffix.remove_prefix(1);
    const std::string name = lower_case(suffix);
    for (const Unit& unit : units)
        if (unit.name == name) return number * unit.factor;
    return std::nan("");
}

}  // namespace

Result<std::chrono::milliseconds> parse_duration(std::string_view text) {
    const double value = scaled(text, duration_units);
    if (!(value >= 0 && value <= longest_duration))
        return fail(ErrorCode::invalid_argument,
                    fmt::format("\"{}\" is not a duration such as 500ms, 10s or 2m", text));
    return std::chrono::milliseconds(std::llround(value));
}

std::string format_duration(std::chrono::milliseconds duration) {
    const auto count = duration.count();
    if (count % 1000 != 0) return fmt::format("{}ms", count);
    return fmt::format("{}s", count / 1000);
}

Result<std::uint64_t> parse_bytes(std::string_view text) {
    const double value = scaled(text, size_units);
    if (!(value >= 0 && value <= largest_size))
        return fail(ErrorCode::invalid_argument,
                    fmt::format("\"{}\" is not a size such as 64KB or 50MB", text));
    return static_cast<std::uint64_t>(value);
}

std::string format_bytes(std::uint64_t bytes) {
    constexpr std::uint64_t step = 1024;
    if (bytes >= step * step * step && bytes % (step * step * step) == 0)
        return fmt::format("{}GB", bytes / (step * step * step));
    if (bytes >= step * step && bytes % (step * step) == 0) return fmt::format("{}MB", bytes / (step * step));
    if (bytes >= step && bytes % step == 0) return fmt::format("{}KB", bytes / step);
    return fmt::format("{}", bytes);
}

Result<std::int64_t> parse_number(std::string_view text, std::int64_t low, std::int64_t high) {
    std::int64_t value = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || rest != text.data() + text.size() || value < low || value > high)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("\"{}\" is not a whole number from {} to {}", text, low, high));
    return value;
}

}  // namespace quarry
