// Durations and sizes as people write them in settings and flags: "10s", "500ms", "50MB".
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace quarry {

// Reads "250ms", "10s", "1.5m", "2h" or a bare number of seconds. Fails on anything negative or longer than a
// year.
Result<std::chrono::milliseconds> parse_duration(std::string_view text);
std::string format_duration(std::chrono::milliseconds duration);

// Reads "100", "64KB", "50MB", "1.5GB" (powers of 1024, the letter B optional).
Result<std::uint64_t> parse_bytes(std::string_view text);
std::string format_bytes(std::uint64_t bytes);

// Reads a whole number within [low, high].
Result<std::int64_t> parse_number(std::string_view text, std::int64_t low, std::int64_t high);

}  // namespace quarry
