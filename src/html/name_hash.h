// The hash of element and attribute names, shared by the fixed table of listed names and each tree's table of
// the others. Most names have at most eight bytes and so are one word: comparing words compares the names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace quarry::html {

namespace name_hash_detail {

// Written byte by byte so that it works in constant expressions; compilers turn it into one load.
template <std::size_t Bytes>
constexpr std::uint64_t load(const char* at) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < Bytes; ++i) {
        word |= static_cast<std::uint64_t>(static_cast<unsigned char>(at[i])) << (8 * i);
    }
    return word;
}

}  // namespace name_hash_detail

// The last (at most eight) bytes of the name in one word. Two names of the same length, at most eight, are
// equal if and only if their words are.
constexpr std::uint64_t tail_word(std::string_view name) {
    using namespace name_hash_detail;
    const std::size_t size = name.size();
    const char* at = name.data();
    if (size >= 8) return load<8>(at + size - 8);
    if (size >= 4) return load<4>(at) | load<4>(at + size - 4) << 32;
    if (size == 0) return 0;
    return load<1>(at) | load<1>(at + size / 2) << 8 | load<1>(at + size - 1) << 16;
}

// A name with what the tables need to find it, so that it is computed once for all of them.
struct HashedName {
    constexpr explicit HashedName(std::string_view name) : text(name), word(tail_word(name)) {
        constexpr std::uint64_t multiplier = 0x9E3779B97F4A7C15;
        std::uint64_t mixed = name.size();
        for (std::size_t i = 0; i + 8 < name.size(); i += 8) {
            mixed = (mixed ^ name_hash_detail::load<8>(name.data() + i)) * multiplier;
            mixed ^= mixed >> 29;
        }
        hash = static_cast<std::uint32_t>(((mixed ^ word) * multiplier) >> 32);
    }

    std::string_view text;
    std::uint64_t word;
    std::uint32_t hash = 0;
};

}  // namespace quarry::html
