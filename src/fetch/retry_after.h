// How long a server asks to be left alone.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace quarry::fetch {

// A Retry-After header's value: a number of seconds or a date. A date that has passed means no wait. Values
// over a year count as a year. Nothing if it is neither.
std::optional<std::chrono::seconds> parse_retry_after(std::string_view value, std::chrono::sys_seconds now);

}  // namespace quarry::fetch
