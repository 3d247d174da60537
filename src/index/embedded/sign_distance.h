// The inner loop of the scan over sign bits, once for each generation of processors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace quarry::index {

// A query as the scan wants it. The magnitude of its number in each dimension is a number of `planes` bits;
// plane n has the nth bit of all of them.
struct SignQuery {
    static constexpr std::size_t planes = 3;

    std::vector<std::uint64_t> signs{};
    std::array<std::vector<std::uint64_t>, planes> magnitudes{};
};

// `words` is how many words of 64 dimensions a vector has.
SignQuery make_sign_query(std::span<const float> query, std::size_t words);

// Distances of `groups` times eight vectors, which lie in memory as SignBits says.
using SignDistance = void (*)(const SignQuery& query, const std::uint64_t* bits, std::size_t groups,
                              std::uint16_t* distances);

// All that this processor can run, the fastest first; the last one runs anywhere.
struct NamedSignDistance {
    const char* name = "";
    SignDistance function = nullptr;
};
std::span<const NamedSignDistance> sign_distances();

}  // namespace quarry::index
