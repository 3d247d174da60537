// Turns the tree as built into the tree as read: one walk in document order.
#pragma once

#include "html/construction/build_tree.h"
#include "html/tree.h"

namespace quarry::html {

class TreeWriter {
public:
    // Fills the nodes of `tree` from `nodes`, whose node 0 is the document.
    static void write(const BuildTree& nodes, Tree& tree);
};

}  // namespace quarry::html
