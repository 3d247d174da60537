#include "extract/metadata/moment.h"

#include <array>
#include <cstdlib>

#include <fmt/format.h>

namespace quarry::extract {

namespace {

int days_in_month(int year, int month) {
    static constexpr std::array days{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month == 2 && is_leap ? 29 : days[static_cast<std::size_t>(month - 1)];
}

}  // namespace

bool exists(const Moment& moment) {
    if (moment.year < 1400 || moment.year > 9999) return false;
    if (moment.month < 0 || moment.month > 12 || moment.day < 0) return false;
    if (moment.month == 0 && moment.day != 0) return false;
    if (moment.month != 0 && moment.day > days_in_month(moment.year, moment.month)) return false;
    return moment.hour <= 23 && moment.minute <= 59 && moment.second <= 60;
}

std::string to_iso(const Moment& moment) {
    if (moment.month == 0) return fmt::format("{:04}", moment.year);
    if (moment.day == 0) return fmt::format("{:04}-{:02}", moment.year, moment.month);
    std::string text = fmt::format("{:04}-{:02}-{:02}", moment.year, moment.month, moment.day);
    if (moment.hour < 0) return text;
    text += fmt::format("T{:02}:{:02}:{:02}", moment.hour, moment.minute, moment.second);
    if (!moment.offset_minutes) return text;
    const int offset = *moment.offset_minutes;
    if (offset == 0) return text + "Z";
    return text +
           fmt::format("{}{:02}:{:02}", offset < 0 ? '-' : '+', std::abs(offset) / 60, std::abs(offset) % 60);
}

}  // namespace quarry::extract
