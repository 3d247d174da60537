// The rows of vectors and of their signs, by space. Vectors of two spaces never meet.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/sqlite.h"
#include "index/embedded/embedded_signs.h"

namespace quarry::index {

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

}  // namespace quarry::index
