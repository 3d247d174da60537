// Dates as pages write them, in the one form that sorts and that every client reads: ISO 8601. The words in
// dates are here too: months in the languages the web writes most, and names of time zones.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace quarry::extract {

// The words in dates: months in the languages the web writes most, and names of time zones.

// 1 to 12 for a month's name or usual abbreviation, in lower case (ASCII letters; others as they are).
std::optional<int> month_number(std::string_view name);

// Minutes east of UTC for the zones that mail and the web name: z, utc, gmt, est, cet, …
std::optional<int> zone_offset_minutes(std::string_view name);

// Dates as pages write them, in the one form that sorts and that every client reads: ISO 8601.

// Reads a date, with or without a time, from the forms met in meta tags, feeds and bylines:
//   2024-03-05T10:20:30.5+0100   2024-03   20240305   2024/3/5   1709631630
//   Tue, 05 Mar 2024 10:20:30 GMT   March 5th, 2024 at 10:20 pm   5. März 2024   2024年3月5日
// Returns "2024-03-05", "2024-03-05T10:20:30" or the latter with "Z" or "+01:00"; a month or a year alone
// stays one. Returns nothing for what no reader could be sure of (03/04/2024), for dates that do not exist,
// and for years before 1400 or after 9999, which are defaults of software.
std::optional<std::string> iso_date(std::string_view text);

}  // namespace quarry::extract
