// Elements that were too deep to be opened. Their end tags must not close one of the elements below them, so
// they are counted: a million <div> and a million </div> come out even.
#pragma once

#include <cstdint>
#include <vector>

#include "html/tree.h"

namespace quarry::html {

class Overflow {
public:
    // Counts an element that could not be opened inside `owner`, the deepest open element.
    void add(NodeId owner, Tag tag) {
        if (owner != owner_) {
            owner_ = owner;
            ++generation_;
        }
        const auto index = static_cast<std::size_t>(tag);
        if (index >= counts_.size()) counts_.resize(index + 64);
        Count& count = counts_[index];
        if (count.generation != generation_) count = {generation_, 0};
        ++count.elements;
    }

    // True if the end tag belongs to an element counted inside `owner`, which then is no longer.
    bool remove(NodeId owner, Tag tag) {
        const auto index = static_cast<std::size_t>(tag);
        if (owner != owner_ || index >= counts_.size()) return false;
        Count& count = counts_[index];
        if (count.generation != generation_ || count.elements == 0) return false;
        --count.elements;
        return true;
    }

private:
    struct Count {
        std::uint32_t generation = 0;  // Counts of another owner are void, without having to be cleared.
        std::uint32_t elements = 0;
    };
    std::vector<Count> counts_;
    NodeId owner_ = no_node;
    std::uint32_t generation_ = 0;
};

}  // namespace quarry::html
