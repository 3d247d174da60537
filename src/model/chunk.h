// A passage of a document: the unit that is embedded, indexed and found.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/model_ids.h"

namespace quarry {

struct Chunk {
    std::string text{};  // markdown; a part of a table or code block is whole again by itself
    std::vector<std::string> headings{};  // from the page's title downwards, without their #
    std::uint32_t begin = 0, end = 0;     // where in the page's markdown it was taken from, in bytes
};

// Which chunk: the nth of a page. Ids of an index's own never leave it.
struct ChunkRef {
    PageId page{};
    int index = 0;
    friend bool operator==(const ChunkRef&, const ChunkRef&) = default;
    friend auto operator<=>(const ChunkRef&, const ChunkRef&) = default;
};

}  // namespace quarry
