// Dates as they stand in HTTP headers. Servers write them in three standard forms and many others; the
// reading of RFC 6265 (section 5.1.1) understands nearly all of them.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace quarry::fetch {

// "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994" and what
// resembles them. Always read as UTC. Nothing if it is not a date.
std::optional<std::chrono::sys_seconds> parse_http_date(std::string_view text);

}  // namespace quarry::fetch
