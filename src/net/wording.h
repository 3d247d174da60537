// Amounts as they read in a sentence: "10 s", "50 MB". (Settings write them without the space: base/units.h.)
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include <fmt/format.h>

namespace quarry::net {

inline std::string in_words(std::chrono::milliseconds duration) {
    if (duration.count() % 1000 != 0) return fmt::format("{} ms", duration.count());
    return fmt::format("{} s", duration.count() / 1000);
}

inline std::string bytes_in_words(std::uint64_t bytes) {
    constexpr std::uint64_t step = 1024;
    if (bytes >= step * step && bytes % (step * step) == 0)
        return fmt::format("{} MB", bytes / (step * step));
    if (bytes >= step && bytes % step == 0) return fmt::format("{} KB", bytes / step);
    return fmt::format("{} bytes", bytes);
}

}  // namespace quarry::net
