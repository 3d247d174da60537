// Dates as pages write them, in the one form that sorts and that every client reads: ISO 8601.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace quarry::extract {

// Reads a date, with or without a time, from the forms met in meta tags, feeds and bylines:
//   2024-03-05T10:20:30.5+0100   2024-03   20240305   2024/3/5   1709631630
//   Tue, 05 Mar 2024 10:20:30 GMT   March 5th, 2024 at 10:20 pm   5. März 2024   2024年3月5日
// Returns "2024-03-05", "2024-03-05T10:20:30" or the latter with "Z" or "+01:00"; a month or a year alone
// stays one. Returns nothing for what no reader could be sure of (03/04/2024), for dates that do not exist,
// and for years before 1400 or after 9999, which are defaults of software.
std::optional<std::string> iso_date(std::string_view text);

}  // namespace quarry::extract
