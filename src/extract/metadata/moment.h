// A point in time as exactly as a page states it.
#pragma once

#include <optional>
#include <string>

namespace quarry::extract {

struct Moment {
    int year = 0;
    int month = 0;  // 0: only the year is known
    int day = 0;    // 0: only the month is known
    int hour = -1;  // -1: only the date is known
    int minute = 0;
    int second = 0;
    std::optional<int> offset_minutes{};  // from UTC
};

// False for days that no calendar has, and for years before 1400 or after 9999, which are defaults of
// software.
bool exists(const Moment& moment);

// In ISO 8601, no more exactly than it is known: "2024", "2024-03", "2024-03-05",
// "2024-03-05T10:20:30+01:00".
std::string to_iso(const Moment& moment);

}  // namespace quarry::extract
