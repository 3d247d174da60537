// The words in dates: months in the languages the web writes most, and names of time zones.
#pragma once

#include <optional>
#include <string_view>

namespace quarry::extract {

// 1 to 12 for a month's name or usual abbreviation, in lower case (ASCII letters; others as they are).
std::optional<int> month_number(std::string_view name);

// Minutes east of UTC for the zones that mail and the web name: z, utc, gmt, est, cet, …
std::optional<int> zone_offset_minutes(std::string_view name);

}  // namespace quarry::extract
