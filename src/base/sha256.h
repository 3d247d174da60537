// SHA-256 (FIPS 180-4), and HMAC with it (RFC 2104): for names made of what they name, and for signatures.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace quarry {

using Sha256Digest = std::array<std::uint8_t, 32>;

Sha256Digest sha256(std::string_view bytes);
Sha256Digest hmac_sha256(std::string_view key, std::string_view message);

// "9f86d081…", in lower case.
std::string hex_of(std::span<const std::uint8_t> bytes);

}  // namespace quarry
