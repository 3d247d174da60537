// Counts equal terms.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "text/terms/terms.h"

namespace quarry::text {

// Keeps its table from text to text: one per thread.
class TermCounter {
public:
    TermBag count(std::span<const Term> terms);

private:
    // Where in the bag's counts a term is, plus one; 0 if the slot is free.
    struct Slot {
        std::uint32_t hash = 0, index = 0;
    };

    std::uint32_t& place_of(std::string_view term, const std::vector<TermCount>& counts);

    std::vector<Slot> slots_{};
};

}  // namespace quarry::text
