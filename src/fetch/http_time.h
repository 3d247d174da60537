// Dates and delays as they stand in HTTP headers. Servers write dates in three standard forms and many
// others; the reading of RFC 6265 (section 5.1.1) understands nearly all of them. retry_after says how long
// a server asks to be left alone.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

#include "model/page.h"

namespace quarry::fetch {

// Dates as they stand in HTTP headers. Servers write them in three standard forms and many others; the
// reading of RFC 6265 (section 5.1.1) understands nearly all of them.

// "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994" and what
// resembles them. Always read as UTC. Nothing if it is not a date.
std::optional<std::chrono::sys_seconds> parse_http_date(std::string_view text);

// How long a server asks to be left alone.

// What the Retry-After header of an answer asks for; nothing if it has none, or one that nobody understands.
std::optional<std::chrono::seconds> retry_after(const std::vector<Header>& headers,
                                                std::chrono::sys_seconds now);

// A Retry-After header's value: a number of seconds or a date. A date that has passed means no wait. Values
// over a year count as a year. Nothing if it is neither.
std::optional<std::chrono::seconds> parse_retry_after(std::string_view value, std::chrono::sys_seconds now);

}  // namespace quarry::fetch
