// Vectors at rest: how they are packed, the rows of vectors and signs by space, and the walk over chunks
// from which a space is fitted and filled. A vector keeps eight bits per number and one factor for all;
// cosines differ from those of floats in the fourth digit. Vectors of two spaces never meet.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "db/sqlite.h"
#include "index/embedded/embedded_index.h"
#include "index/embedded/postings.h"
#include "index/embedded/signs.h"

namespace quarry::index {

// Vectors at rest: eight bits per number and one factor for all. Cosines differ from those of floats in the
// fourth digit.

struct Int8Vector {
    float scale = 0;  // number = scale * value
    std::vector<std::int8_t> values{};
};

Int8Vector quantise(std::span<const float> vector);

// Of two vectors of the same size.
std::int32_t dot(std::span<const std::int8_t> a, std::span<const std::int8_t> b);

// Vectors as rows have them: of length 1, the scale and then a byte per dimension.

// Of length 1. Empty if all numbers are 0; `invalid_argument` if one is none.
Result<std::vector<float>> unit_vector(std::span<const float> vector);

std::string pack_vector(std::span<const float> unit);

// The way back, as near as bytes are.
std::vector<float> unpack_vector(std::string_view packed);

// The cosine of the angle between them; `corrupt` if they differ in their dimensions.
Result<float> cosine(std::string_view packed, const Int8Vector& unit);

// The rows of vectors and of their signs, by space. Vectors of two spaces never meet.

enum class SpaceState : std::uint8_t { filling = 0, used = 1, dropped = 2 };

struct SpaceRow {
    std::int64_t id = 0;
    SpaceState state = SpaceState::filling;
    int dimensions = 0;  // 0 until there is a vector
};

// Within the writer's transaction.
class VectorRows {
public:
    static Result<VectorRows> open(db::Connection& connection);

    Result<void> put(std::int64_t space, std::int64_t chunk, std::span<const float> unit);
    Result<void> remove(std::int64_t space, std::int64_t first_chunk, std::int64_t chunks);
    Result<void> set_dimensions(std::int64_t space, int dimensions);
    Result<std::optional<SignBlock>> block(const SpaceRow& space, Slot number);
    Result<void> put_block(std::int64_t space, Slot number, const SignBlock& block);

private:
    db::Statement put_, remove_, set_dimensions_, block_, put_block_;
};

// What one transaction does to a space.
class SpaceWriting {
public:
    SpaceWriting(VectorRows& rows, SpaceRow space) : rows_(rows), space_(space) {}

    const SpaceRow& space() const { return space_; }
    // A new chunk's vector; empty: it was looked at, and has none. `conflict` if the dimensions are others.
    Result<void> put(Slot slot, std::int64_t chunk, std::span<const float> unit);
    // The slot has a new chunk, which was not looked at yet.
    Result<void> clear(Slot slot);
    Result<void> finish();  // writes the blocks

    // The signs of what was put, for the view.
    const std::map<Slot, SignWords>& signs() const { return signs_; }

private:
    Result<SignBlock*> find_block(Slot slot);  // nullptr if there is none

    VectorRows& rows_;
    SpaceRow space_;
    std::map<Slot, SignBlock> blocks_;
    std::map<Slot, SignWords> signs_;
};

// Chunks in the order of their ids, with their texts: what a space is fitted on and filled from.

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
