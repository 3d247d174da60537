#include "fetch/http_time.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>

#include "base/ascii.h"
#include "net/http_message.h"

namespace quarry::fetch {

namespace {

// Letters, digits and ':' make up tokens; everything else in ASCII divides them.
bool is_delimiter(char c) {
    const auto u = static_cast<unsigned char>(c);
    return u < 0x80 && !std::isalnum(u) && c != ':';
}

// Reads a number of `least` to `most` digits at the start of `text`, and removes it. No further digit may
// follow.
std::optional<int> take_number(std::string_view& text, std::size_t least, std::size_t most) {
    std::size_t size = 0;
    int value = 0;
    while (size < text.size() && size <= most && is_ascii_digit(text[size]))
        value = value * 10 + (text[size++] - '0');
    if (size < least || size > most) return std::nullopt;
    text.remove_prefix(size);
    return value;
}

std::optional<std::chrono::seconds> parse_time(std::string_view token) {
    int parts[3] = {};
    for (int i = 0; i < 3; ++i) {
        if (i > 0) {
            if (token.empty() || token.front() != ':') return std::nullopt;
            token.remove_prefix(1);
        }
        const auto number = take_number(token, 1, 2);
        if (!number) return std::nullopt;
        parts[i] = *number;
    }
    if (parts[0] > 23 || parts[1] > 59 || parts[2] > 60) return std::nullopt;
    return std::chrono::hours(parts[0]) + std::chrono::minutes(parts[1]) + std::chrono::seconds(parts[2]);
}

std::optional<unsigned> parse_month(std::string_view token) {
    constexpr std::string_view names = "janfebmaraprmayjunjulaugsepoctnovdec";
    if (token.size() < 3) return std::nullopt;
    const auto at = names.find(net::lower_case(token.substr(0, 3)));
    if (at == names.npos || at % 3 != 0) return std::nullopt;
    return static_cast<unsigned>(at / 3 + 1);
}

struct DateParts {
    std::optional<std::chrono::seconds> time{};
    std::optional<int> day{};
    std::optional<unsigned> month{};
    std::optional<int> year{};

    // The first token that can be a part is that part.
    void take(std::string_view token) {
        std::string_view day_text = token;
        std::string_view year_text = token;
        if (fill(time, [&] { return parse_time(token); })) return;
        if (fill(day, [&] { return take_number(day_text, 1, 2); })) return;
        if (fill(month, [&] { return parse_month(token); })) return;
        fill(year, [&] { return take_number(year_text, 2, 4); });
    }

private:
    template <typename T, typename Parse>
    static bool fill(std::optional<T>& part, Parse parse) {
        if (part) return false;
        part = parse();
        return part.has_value();
    }
};

int full_year(int year) {
    if (year >= 70 && year <= 99) return year + 1900;
    return year < 70 ? year + 2000 : year;
}

}  // namespace

std::optional<std::chrono::sys_seconds> parse_http_date(std::string_view text) {
    DateParts parts;
    while (!text.empty()) {
        const auto size = static_cast<std::size_t>(std::ranges::find_if(text, is_delimiter) - text.begin());
        if (size > 0) parts.take(text.substr(0, size));
        text.remove_prefix(std::min(size + 1, text.size()));
    }
    if (!parts.time || !parts.day || !parts.month || !parts.year) return std::nullopt;

    const std::chrono::year_month_day date{std::chrono::year(full_year(*parts.year)),
                                           std::chrono::month(*parts.month),
                                           std::chrono::day(static_cast<unsigned>(*parts.day))};
    if (!date.ok() || date.year() < std::chrono::year(1601)) return std::nullopt;
    return std::chrono::sys_days(date) + *parts.time;
}

namespace {

constexpr std::chrono::seconds longest = std::chrono::hours(24 * 365);

}  // namespace

std::optional<std::chrono::seconds> retry_after(const std::vector<Header>& headers,
                                                std::chrono::sys_seconds now) {
    return parse_retry_after(header_value(headers, "Retry-After"), now);
}

std::optional<std::chrono::seconds> parse_retry_after(std::string_view value, std::chrono::sys_seconds now) {
    value = net::trimmed(value);
    if (net::is_all_digits(value)) {
        std::int64_t seconds = 0;
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), seconds);
        if (error == std::errc::result_out_of_range) return longest;
        return std::min(std::chrono::seconds(seconds), longest);
    }
    const auto date = parse_http_date(value);
    if (!date) return std::nullopt;
    return std::clamp(*date - now, std::chrono::seconds(0), longest);
}

}  // namespace quarry::fetch
