// "Did you mean …?": the known word nearest to a mistyped one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace quarry {

// The candidate within a few typing errors of `word`, or "" if none is near enough to be worth suggesting.
std::string nearest_word(std::string_view word, std::span<const std::string> candidates);

}  // namespace quarry
