#include "extract/structured/values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "base/ascii.h"
#include "extract/metadata/dates.h"
#include "extract/metadata/links.h"

namespace quarry::structured {

namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 6> names = {"string", "number", "integer", "boolean", "date", "url"};

bool is_in(char c, std::string_view set) {
    return set.find(c) != set.npos;
}

// The part of the text that is one number: digits, with marks that have a digit on both sides.
std::string_view first_number(std::string_view text) {
    const auto first = std::ranges::find_if(text, is_ascii_digit);
    const auto from = static_cast<std::size_t>(first - text.begin());
    std::size_t end = from;
    constexpr std::size_t longest = 40;
    while (end < text.size() && end - from < longest) {
        const bool is_mark =
            is_in(text[end], ".,' ") && end + 1 < text.size() && is_ascii_digit(text[end + 1]);
        // A space separates thousands only: "1 299", not "5 10".
        const bool is_gap = text[end] == ' ' && (end + 3 >= text.size() || !is_ascii_digit(text[end + 2]) ||
                                                 !is_ascii_digit(text[end + 3]));
        if (!is_ascii_digit(text[end]) && (!is_mark || is_gap)) break;
        ++end;
    }
    return text.substr(from, end - from);
}

// Which mark begins the fraction, if one does: the last of two kinds, or the only one unless it groups by
// three.
std::size_t fraction_mark(std::string_view number) {
    const std::size_t last = number.find_last_of(".,");
    if (last == number.npos) return number.npos;
    const char other = number[last] == '.' ? ',' : '.';
    const bool is_only_one = std::ranges::count(number, number[last]) == 1;
    if (number.find(other) != number.npos) return is_only_one ? last : number.npos;
    const bool groups_by_three = number.size() - last - 1 == 3 && last <= 3 && number.front() != '0';
    return is_only_one && !groups_by_three ? last : number.npos;
}

bool is_negative(std::string_view text, std::string_view number) {
    std::string_view before = text.substr(0, static_cast<std::size_t>(number.data() - text.data()));
    while (!before.empty() && is_in(before.back(), " $")) before.remove_suffix(1);
    return before.ends_with("\u2212") || before == "-" || before.ends_with(" -");
}

std::optional<json::value> boolean_of(std::string_view text) {
    const std::string lower = lower_case(trimmed(text));
    for (const std::string_view yes :
         {"true", "yes", "1", "on", "y", "ja", "oui", "✓", "✔", "instock", "in stock"})
        if (lower == yes) return json::value(true);
    for (const std::string_view no :
         {"false", "no", "0", "off", "n", "nein", "non", "✗", "✘", "outofstock", "out of stock", "sold out"})
        if (lower == no) return json::value(false);
    return std::nullopt;
}

std::optional<json::value> whole(std::optional<double> number) {
    if (!number || std::floor(*number) != *number || std::abs(*number) > 9e15) return std::nullopt;
    return json::value(static_cast<std::int64_t>(*number));
}

std::optional<json::value> as_number(std::optional<double> number) {
    if (!number) return std::nullopt;
    if (auto integer = whole(number)) return integer;
    return json::value(*number);
}

}  // namespace

Result<ValueType> parse_value_type(std::string_view name) {
    const auto found = std::ranges::find(names, name);
    if (found != names.end()) return static_cast<ValueType>(found - names.begin());
    return fail(ErrorCode::invalid_argument,
                fmt::format("there is no type \"{}\": there are {}", name, fmt::join(names, ", ")));
}

std::optional<double> number_in(std::string_view text) {
    const std::string_view found = first_number(text);
    if (found.empty()) return std::nullopt;
    const std::size_t mark = fraction_mark(found);
    std::string plain;
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (is_ascii_digit(found[i])) plain += found[i];
        if (i == mark) plain += '.';
    }
    // What follows an exponent or a power is read by nobody.
    double number = 0;
    const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), number);
    if (error != std::errc() || !std::isfinite(number)) return std::nullopt;
    return is_negative(text, found) ? -number : number;
}

std::optional<json::value> typed_value(std::string_view text, ValueType type, const url::Url* base) {
    text = trimmed(text);
    switch (type) {
        case ValueType::string: return json::value(text);
        case ValueType::number: return as_number(number_in(text));
        case ValueType::integer: return whole(number_in(text));
        case ValueType::boolean: return boolean_of(text);
        case ValueType::date: {
            auto date = extract::iso_date(text);
            return date ? std::optional(json::value(*date)) : std::nullopt;
        }
        case ValueType::url: {
            const std::string url = extract::absolute_url(text, base);
            return url.empty() ? std::nullopt : std::optional(json::value(url));
        }
    }
    return std::nullopt;
}

}  // namespace quarry::structured
