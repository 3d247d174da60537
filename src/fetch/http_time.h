// How long a server asks to be left alone.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

#include "model/page.h"

namespace quarry::fetch {

// What the Retry-After header of an answer asks for; nothing if it has none, or one that nobody understands.
std::optional<std::chrono::seconds> retry_after(const std::vector<Header>& headers,
                                                std::chrono::sys_seconds now);

// A Retry-After header's value: a number of seconds or a date. A date that has passed means no wait. Values
// over a year count as a year. Nothing if it is neither.
std::optional<std::chrono::seconds> parse_retry_after(std::string_view value, std::chrono::sys_seconds now);

}  // namespace quarry::fetch
