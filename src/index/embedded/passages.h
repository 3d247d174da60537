// Texts and headings of consecutive chunks, compressed together: neighbours share words and headings.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/chunk.h"

namespace quarry::index {

// Together they take half of the room that each by itself would; more would make reading one of them slow.
inline constexpr int chunks_together = 16;

Result<std::string> pack_passages(std::span<const Chunk* const> chunks);
// `corrupt` if the bytes are damaged.
Result<std::vector<Chunk>> unpack_passages(std::string_view bytes);

}  // namespace quarry::index
