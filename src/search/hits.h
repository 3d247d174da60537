// The chunks that one search shows, each read once.
#pragma once

#include <map>
#include <span>
#include <string>

#include "base/result.h"
#include "index/index.h"

namespace quarry::search {

class ChunkTexts {
public:
    ChunkTexts(index::Index& index, std::string collection)
        : index_(index), collection_(std::move(collection)) {}

    // Reads those that are not here yet, in one call.
    Result<void> fetch(std::span<const ChunkRef> refs);

    // Nothing if it has gone from the index, or was not fetched.
    const index::FoundChunk* find(const ChunkRef& ref) const;

    // The chunk's text and that of as many neighbours on each side as were fetched, in the page's order. What
    // neighbours repeat of each other is said once.
    std::string text_around(const ChunkRef& ref, int neighbours) const;

private:
    index::Index& index_;
    std::string collection_;
    std::map<ChunkRef, index::FoundChunk> chunks_;
};

}  // namespace quarry::search
