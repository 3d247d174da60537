// Whether vectors of one embedder may be compared with vectors of another.
#pragma once

#include "model/model_collection.h"

namespace quarry::index {

// The builtin space has versions of its own, and dimensions that are not known yet are no difference.
inline bool is_same_embedder(const EmbedderFacts& a, const EmbedderFacts& b) {
    if (a.provider != b.provider) return false;
    if (a.provider == "builtin") return true;
    const bool same_dimensions = a.dimensions == b.dimensions || a.dimensions == 0 || b.dimensions == 0;
    return a.model == b.model && a.version == b.version && same_dimensions;
}

}  // namespace quarry::index
