// Which nodes of a tree are content. The tree itself is never edited: stages mark, writers read the marks.
#pragma once

#include <cstdint>
#include <vector>

#include "html/tree.h"

namespace quarry::extract {

// A node is written if it and all of its ancestors are kept.
class Selection {
public:
    explicit Selection(const html::Tree& tree, bool kept = true) : kept_(tree.size(), kept ? 1 : 0) {}

    bool keeps(html::NodeId id) const { return kept_[id] != 0; }
    void keep(html::NodeId id) { kept_[id] = 1; }
    void drop(html::NodeId id) { kept_[id] = 0; }

private:
    std::vector<std::uint8_t> kept_;
};

}  // namespace quarry::extract
