// Times as JSON has them: ISO 8601 in UTC, with milliseconds.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/base_clock.h"

namespace quarry {

// "2026-01-30T15:00:10.000Z"
std::string iso_time(Timestamp time);

// The way back, of exactly that form.
std::optional<Timestamp> parse_iso_time(std::string_view text);

}  // namespace quarry
