#include "model/ids.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/ascii.h"

namespace quarry {

namespace {

// 62 bits as two halves of 31, mixed by a Feistel network: a permutation whatever the round function is, so
// it can be undone.
constexpr std::uint64_t half_mask = (1ull << 31) - 1;
constexpr int rounds = 4;

std::uint64_t mixed(std::uint64_t half, std::uint64_t salt, int round) {
    std::uint64_t x = half + salt + 0x9e3779b97f4a7c15ull * static_cast<std::uint64_t>(round + 1);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return (x ^ (x >> 31)) & half_mask;
}

std::uint64_t scramble(std::uint64_t number, std::uint64_t salt) {
    std::uint64_t left = (number >> 31) & half_mask, right = number & half_mask;
    for (int round = 0; round < rounds; ++round) {
        const std::uint64_t next = left ^ mixed(right, salt, round);
        left = right;
        right = next;
    }
    return left << 31 | right;
}

std::uint64_t unscramble(std::uint64_t value, std::uint64_t salt) {
    std::uint64_t left = (value >> 31) & half_mask, right = value & half_mask;
    for (int round = rounds - 1; round >= 0; --round) {
        const std::uint64_t before = right ^ mixed(left, salt, round);
        right = left;
        left = before;
    }
    return left << 31 | right;
}

// The 32 digits of a UUID in its usual form, or fewer if it is none.
std::string digits_of(std::string_view text) {
    std::string digits;
    if (text.size() != 36) return digits;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash != (text[i] == '-')) return {};
        if (!dash) digits += text[i];
    }
    return digits;
}

}  // namespace

// Bits of a UUIDv7: 48 of time, version 7, 12, variant 10, 62. The 12 are a checksum of the rest, so that a
// mistyped id is noticed.
std::string public_id(std::int64_t number, Timestamp created_at, std::uint64_t salt) {
    const auto time = static_cast<std::uint64_t>(created_at.time_since_epoch().count()) & ((1ull << 48) - 1);
    const std::uint64_t value = scramble(static_cast<std::uint64_t>(number), salt ^ time);
    const std::uint64_t check = mixed(value ^ time, salt, rounds) & 0xfff;
    return fmt::format("{:08x}-{:04x}-7{:03x}-{:04x}-{:012x}", time >> 16, time & 0xffff, check,
                       0x8000 | (value >> 48), value & ((1ull << 48) - 1));
}

Result<PublicId> parse_public_id(std::string_view text, std::uint64_t salt) {
    const auto wrong = [&] {
        return fail(ErrorCode::invalid_argument, fmt::format("\"{}\" is not an id of this database", text));
    };
    const std::string digits = digits_of(text);
    if (digits.size() != 32 || digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) {
        return wrong();
    }
    const std::uint64_t high = std::stoull(digits.substr(0, 16), nullptr, 16);
    const std::uint64_t low = std::stoull(digits.substr(16), nullptr, 16);
    const std::uint64_t time = high >> 16;
    const std::uint64_t value = low & ((1ull << 62) - 1);
    const bool is_version_7 = (high >> 12 & 0xf) == 7 && low >> 62 == 2;
    if (!is_version_7 || (high & 0xfff) != (mixed(value ^ time, salt, rounds) & 0xfff)) return wrong();
    return PublicId{.number = static_cast<std::int64_t>(unscramble(value, salt ^ time)),
                    .created_at = Timestamp(std::chrono::milliseconds(time))};
}

bool is_uuid(std::string_view text) {
    constexpr std::string_view shape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
    return std::ranges::equal(text, shape, [](char c, char expected) {
        const bool is_hex = is_ascii_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
        return expected == '-' ? c == '-' : is_hex;
    });
}

}  // namespace quarry
