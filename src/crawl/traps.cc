#include "crawl/traps.h"

#define XXH_INLINE_ALL

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string_view>

#include <xxhash.h>

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
               (value.size() == 4 && equals_ignore_case(name, "year") && is_closed(number_at(value, 0, 4)));
    });
}

bool has_calendar_parameter(std::string_view query) {
    return any_parameter(query, [](std::string_view name, std::string_view value) {
        return equals_ignore_case(name, "year") || equals_ignore_case(name, "month") ||
               last_month(value).year != 0;
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

namespace {

constexpr std::size_t most_shapes = 1 << 16;
constexpr std::size_t most_sketches = 1 << 12;
constexpr int calls_before_sketch = 64;

// The path with every number as one digit. What lies behind its first kilobyte makes no difference.
std::uint64_t path_shape(std::string_view path) {
    std::array<char, 1024> form;
    std::size_t size = 0;
    for (std::size_t at = 0; at < path.size() && size < form.size(); ++at) {
        const bool digit = is_ascii_digit(path[at]);
        if (digit && at > 0 && is_ascii_digit(path[at - 1])) continue;
        form[size++] = digit ? '0' : path[at];
    }
    return XXH3_64bits(form.data(), size);
}

// A sum, so that the order of parameters makes no difference.
std::uint64_t shape_of(const url::Url& url) {
    std::uint64_t shape = path_shape(url.path()) ^ XXH3_64bits(url.host().data(), url.host().size());
    std::string_view query = url.query().value_or("");
    while (!query.empty()) {
        const std::string_view name = query.substr(0, query.find_first_of("=&"));
        shape += XXH3_64bits_withSeed(name.data(), name.size(), 1);
        query.remove_prefix(std::min(query.find('&'), query.size() - 1) + 1);
    }
    return shape;
}

}  // namespace

void ShapeCounter::Sketch::add(const UrlKey& key) {
    std::uint8_t& rank = ranks[key.low & 255];
    const auto seen = static_cast<std::uint8_t>(std::countl_zero(key.high) + 1);
    if (seen <= rank) return;
    rank = seen;
    // Flajolet et al. 2007: a harmonic mean of the ranks, and below 2.5 keys per rank, how many are unused.
    constexpr double count = 256, bias = 0.7213 / (1 + 1.079 / count);
    double sum = 0, unused = 0;
    for (const std::uint8_t each : ranks) {
        sum += std::ldexp(1.0, -each);
        unused += each == 0 ? 1 : 0;
    }
    const double raw = bias * count * count / sum;
    const bool few = raw <= 2.5 * count && unused > 0;
    estimate = static_cast<int>(std::min(few ? count * std::log(count / unused) : raw, 1e9));
}

int ShapeCounter::limit_for(const url::Url& url) const {
    if (is_calendar(url)) return limits_.calendar;
    const int parameters = parameter_count(url);
    if (parameters == 0) return 0;
    return limits_.by_parameters[static_cast<std::size_t>(std::min(parameters, 4)) - 1];
}

bool ShapeCounter::admit(const url::Url& url, const UrlKey& key) {
    const int limit = limit_for(url);
    if (limit == 0) return true;
    const std::uint64_t hash = shape_of(url);
    auto found = shapes_.find(hash);
    if (found == shapes_.end()) {
        if (shapes_.size() == most_shapes) return true;
        found = shapes_.try_emplace(hash).first;
    }
    Shape& shape = found->second;
    if (!shape.sketch) {
        if (++shape.calls < std::min(calls_before_sketch, limit) || sketches_ == most_sketches) return true;
        shape.sketch = std::make_unique<Sketch>();
        ++sketches_;
    }
    if (shape.sketch->estimate >= limit) return false;
    shape.sketch->add(key);
    return true;
}

}  // namespace quarry::crawl
