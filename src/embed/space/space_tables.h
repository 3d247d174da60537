// What a fitted space consists of.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "embed/space/space.h"
#include "embed/space/matrix.h"

namespace quarry::embed {

// A row of numbers per term, which a chunk's vector is the weighted sum of: eight bits each, and one factor
// per row. Terms are known by their hash alone and are in its order.
struct Space::Tables {
    int dimensions = 0;
    std::vector<std::uint64_t> hashes{};
    std::vector<float> scales{};  // of each row
    std::vector<std::int8_t> rows{};
    std::vector<std::uint32_t> first_of{};  // hashes' upper 16 bits -> where those begin; 65,537 numbers

    void index_hashes();  // fills first_of
    // The term's row, or -1.
    std::ptrdiff_t find(std::uint64_t hash) const;
};

}  // namespace quarry::embed
