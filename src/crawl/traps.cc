#include "crawl/crawl_traps.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/ascii.h"

namespace quarry::crawl {

namespace {

constexpr int first_closed_year = 2101, last_closed_year = 2199;

std::size_t length_without_fragment(const url::Url& url) {
    const auto fragment = url.fragment();
    return url.href().size() - (fragment ? fragment->size() + 1 : 0);
}

struct Segments {
    std::array<std::string_view, max_path_segments> at;
    int count = 0;  // one more than fit if there are too many
};

// Of "/a/b/": "a", "b". Empty ones are kept: "/a///" repeats itself.
Segments segments_of(std::string_view path) {
    Segments segments;
    path.remove_prefix(std::min<std::size_t>(path.starts_with('/') ? 1 : 0, path.size()));
    while (!path.empty()) {
        if (segments.count == max_path_segments) return ++segments.count, segments;
        const std::size_t end = std::min(path.find('/'), path.size());
        segments.at[static_cast<std::size_t>(segments.count++)] = path.substr(0, end);
        path.remove_prefix(std::min(end + 1, path.size()));
    }
    return segments;
}

// Whether some run of `length` segments stands `times` times in a row.
bool has_cycle(const Segments& segments, int length, int times) {
    int same = 0;  // how many segments in a row equal the one `length` before
    for (int i = length; i < segments.count; ++i) {
        const auto here = static_cast<std::size_t>(i), before = static_cast<std::size_t>(i - length);
        same = segments.at[here] == segments.at[before] ? same + 1 : 0;
        if (same == length * (times - 1)) return true;
    }
    return false;
}

bool repeats_itself(const Segments& segments) {
    if (has_cycle(segments, 1, 4)) return true;
    for (int length = 2; length * 3 <= segments.count; ++length)
        if (has_cycle(segments, length, 3)) return true;
    return false;
}

int number_at(std::string_view text, std::size_t at, std::size_t digits) {
    if (at + digits > text.size()) return -1;
    int number = 0;
    for (const char c : text.substr(at, digits)) {
        if (!is_ascii_digit(c)) return -1;
        number = number * 10 + (c - '0');
    }
    return number;
}

struct Month {
    int year = 0;         // 0: no month was found
    std::size_t end = 0;  // behind it
};

// The last "2026-11" or "2026/11" in the text, not part of a longer number.
Month last_month(std::string_view text) {
    Month found;
    for (std::size_t at = 0; at + 7 <= text.size(); ++at) {
        const char separator = text.data()[at + 4];  // less than at + 7
        if (separator != '-' && separator != '/') continue;
        const int year = number_at(text, at, 4), month = number_at(text, at + 5, 2);
        const bool alone = (at == 0 || !is_ascii_digit(text[at - 1])) &&
                           (at + 7 == text.size() || !is_ascii_digit(text[at + 7]));
        if (alone && year >= 1000 && year < 3000 && month >= 1 && month <= 12) found = {year, at + 7};
    }
    return found;
}

bool is_closed(int year) {
    return year >= first_closed_year && year <= last_closed_year;
}

// A month with nothing but more numbers behind it: an article's title would mean that the date is only where
// it is filed.
bool ends_in_date(std::string_view path) {
    const Month month = last_month(path);
    return month.year != 0 && std::ranges::none_of(path.substr(month.end), is_ascii_letter);
}

// Calls use(name, value) for each parameter; stops when it returns true, and says whether it did.
template <typename Use>
bool any_parameter(std::string_view query, Use use) {
    while (!query.empty()) {
        const std::size_t end = std::min(query.find('&'), query.size());
        const std::string_view parameter = query.substr(0, end);
        const std::size_t equals = std::min(parameter.find('='), parameter.size());
        if (use(parameter.substr(0, equals), parameter.substr(std::min(equals + 1, parameter.size()))))
            return true;
        query.remove_prefix(std::min(end + 1, query.size()));
    }
    return false;
}

bool has_closed_year(std::string_view query) {
    return any_parameter(query, [](std::string_view name, std::string_view value) {
        return is_closed(last_month(value).year) ||
               (value.size() == 4 && same_letters(name, "year") && is_closed(number_at(value, 0, 4)));
    });
}

bool has_calendar_parameter(std::string_view query) {
    return any_parameter(query, [](std::string_view name, std::string_view value) {
        return same_letters(name, "year") || same_letters(name, "month") || last_month(value).year != 0;
    });
}

}  // namespace

bool is_trap(const url::Url& url) {
    if (length_without_fragment(url) > max_crawled_url_bytes) return true;
    const Segments segments = segments_of(url.path());
    if (segments.count > max_path_segments || repeats_itself(segments) ||
        is_closed(last_month(url.path()).year))
        return true;
    const auto query = url.query();
    return query && (parameter_count(url) > max_query_parameters || has_closed_year(*query));
}

bool is_calendar(const url::Url& url) {
    return ends_in_date(url.path()) || has_calendar_parameter(url.query().value_or(""));
}

int parameter_count(const url::Url& url) {
    const std::string_view query = url.query().value_or("");
    return query.empty() ? 0 : static_cast<int>(std::ranges::count(query, '&')) + 1;
}

}  // namespace quarry::crawl
