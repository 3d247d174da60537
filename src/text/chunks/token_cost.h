// The size of a text in what embedders count, estimated. Chunks are measured thousands of times while they
// are packed, so costs add up: a text's cost is at most that of its parts.
#pragma once

#include <cstdint>
#include <string_view>

namespace quarry::text {

inline constexpr std::uint64_t cost_per_token = 16;

// In sixteenths of a token. Every byte costs something, so a bound on the cost is one on the bytes.
std::uint64_t token_cost(std::string_view text);

}  // namespace quarry::text
