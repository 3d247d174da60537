// Chunks in the order of their ids, with their texts: what a space is fitted on and filled from.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/result.h"
#include "db/sqlite.h"
#include "index/embedded/embedded_postings.h"
#include "index/embedded/vectors.h"
#include "index/embedded/embedded_index.h"

namespace quarry::index {

struct ChunkWalk {
    std::int64_t collection = 0;
    std::int64_t after = 0;
    int limit = 0;
    // Whether this chunk is asked for.
    std::function<Result<bool>(std::int64_t chunk, Slot slot)> wants{};
};

Result<std::vector<EmbeddedIndex::ChunkText>> walk_chunks(db::Connection& connection, const ChunkWalk& walk);

// The slot of a chunk, if it is still there.
Result<std::optional<Slot>> slot_of(db::Connection& connection, std::int64_t collection, std::int64_t chunk);

// Which chunks a space has been asked for already.
class SeenChunks {
public:
    SeenChunks(db::Connection& connection, SpaceRow space) : connection_(connection), space_(space) {}
    Result<bool> has(Slot slot);

private:
    db::Connection& connection_;
    SpaceRow space_;
    std::map<Slot, std::optional<SignBlock>> blocks_;
};

}  // namespace quarry::index
