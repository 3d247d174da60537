#include "model/json/iso_time.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace quarry {
namespace {

// Digits of a fixed place in a time; -1 if there are others.
int digits_at(std::string_view text, std::size_t begin, std::size_t count) {
    int number = 0;
    for (const char c : text.substr(begin, count)) {
        if (c < '0' || c > '9') return -1;
        number = number * 10 + (c - '0');
    }
    return number;
}

bool has_shape(std::string_view text, std::string_view shape) {
    if (text.size() != shape.size()) return false;
    for (std::size_t i = 0; i < text.size(); ++i)
        if (shape[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != shape[i]) return false;
    return true;
}

}  // namespace

std::string iso_time(Timestamp time) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
    const auto milliseconds = (time - seconds).count();
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                       fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)), milliseconds);
}

std::optional<Timestamp> parse_iso_time(std::string_view text) {
    using namespace std::chrono;
    if (!has_shape(text, "0000-00-00T00:00:00.000Z")) return std::nullopt;
    const year_month_day day(year(digits_at(text, 0, 4)), month(static_cast<unsigned>(digits_at(text, 5, 2))),
                             std::chrono::day(static_cast<unsigned>(digits_at(text, 8, 2))));
    const int hour = digits_at(text, 11, 2), minute = digits_at(text, 14, 2), second = digits_at(text, 17, 2);
    if (!day.ok() || hour > 23 || minute > 59 || second > 59) return std::nullopt;
    return Timestamp(sys_days(day)) + hours(hour) + minutes(minute) + seconds(second) +
           milliseconds(digits_at(text, 20, 3));
}

}  // namespace quarry
