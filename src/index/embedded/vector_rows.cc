#include "index/embedded/vectors.h"

#include <utility>

#include <fmt/format.h>

#include "index/embedded/packed_vector.h"

namespace quarry::index {

Result<VectorRows> VectorRows::open(db::Connection& connection) {
    VectorRows rows;
    rows.put_ = TRY(connection.prepare("INSERT OR REPLACE INTO vector VALUES(?1, ?2, ?3)"));
    rows.remove_ =
        TRY(connection.prepare("DELETE FROM vector WHERE space = ?1 AND chunk >= ?2 AND chunk < ?3"));
    rows.set_dimensions_ = TRY(connection.prepare("UPDATE space SET dimensions = ?2 WHERE id = ?1"));
    rows.block_ = TRY(connection.prepare("SELECT bytes FROM sign_block WHERE space = ?1 AND block = ?2"));
    rows.put_block_ = TRY(connection.prepare("INSERT OR REPLACE INTO sign_block VALUES(?1, ?2, ?3)"));
    return rows;
}

Result<void> VectorRows::put(std::int64_t space, std::int64_t chunk, std::span<const float> unit) {
    const std::string packed = pack_vector(unit);
    return put_.bind(space, chunk, db::Blob{packed}).run();
}

Result<void> VectorRows::remove(std::int64_t space, std::int64_t first_chunk, std::int64_t chunks) {
    return remove_.bind(space, first_chunk, first_chunk + chunks).run();
}

Result<void> VectorRows::set_dimensions(std::int64_t space, int dimensions) {
    return set_dimensions_.bind(space, dimensions).run();
}

Result<std::optional<SignBlock>> VectorRows::block(const SpaceRow& space, Slot number) {
    block_.bind(space.id, std::int64_t{number});
    if (!TRY(block_.step())) {
        block_.reset();
        return std::nullopt;
    }
    std::optional<SignBlock> block = SignBlock::parse(block_.text(0), space.dimensions);
    block_.reset();
    if (!block) return fail(ErrorCode::corrupt, "the search index is damaged: signs of vectors");
    return block;
}

Result<void> VectorRows::put_block(std::int64_t space, Slot number, const SignBlock& block) {
    return put_block_.bind(space, std::int64_t{number}, db::Blob{block.bytes()}).run();
}

Result<SignBlock*> SpaceWriting::find_block(Slot slot) {
    const Slot number = slot / slots_per_block;
    if (const auto found = blocks_.find(number); found != blocks_.end()) return &found->second;
    std::optional<SignBlock> block = TRY(rows_.block(space_, number));
    if (!block) return nullptr;
    return &blocks_.emplace(number, *std::move(block)).first->second;
}

Result<void> SpaceWriting::put(Slot slot, std::int64_t chunk, std::span<const float> unit) {
    const int dimensions = static_cast<int>(unit.size());
    if (!unit.empty() && space_.dimensions == 0) {
        TRY(finish());  // those that were made when there were no dimensions
        blocks_.clear();
        space_.dimensions = dimensions;
        TRY(rows_.set_dimensions(space_.id, dimensions));
    }
    if (!unit.empty() && dimensions != space_.dimensions) {
        return fail(ErrorCode::conflict,
                    fmt::format("a vector has {} dimensions, those of the collection have {}", dimensions,
                                space_.dimensions));
    }
    if (!unit.empty()) TRY(rows_.put(space_.id, chunk, unit));
    SignBlock* block = TRY(find_block(slot));
    if (!block) block = &blocks_.emplace(slot / slots_per_block, SignBlock(space_.dimensions)).first->second;
    SignWords signs = signs_of(unit);
    block->put(slot, signs);
    signs_[slot] = std::move(signs);
    return {};
}

Result<void> SpaceWriting::clear(Slot slot) {
    if (SignBlock* block = TRY(find_block(slot))) block->clear(slot);
    return {};
}

Result<void> SpaceWriting::finish() {
    for (const auto& [number, block] : blocks_) TRY(rows_.put_block(space_.id, number, block));
    return {};
}

}  // namespace quarry::index
