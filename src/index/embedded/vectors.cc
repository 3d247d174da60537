#include "index/embedded/vectors.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/each_processor.h"
#include "index/embedded/page_rows.h"

namespace quarry::index {

Int8Vector quantise(std::span<const float> vector) {
    float largest = 0;
    for (const float x : vector) largest = std::max(largest, std::abs(x));
    const float factor = largest > 0 ? 127 / largest : 0;
    Int8Vector quantised;
    quantised.values.reserve(vector.size());
    double squares = 0, rounded_squares = 0;
    for (const float x : vector) {
        const auto rounded = static_cast<std::int8_t>(std::lround(x * factor));
        quantised.values.push_back(rounded);
        squares += static_cast<double>(x) * x;
        rounded_squares += rounded * rounded;
    }
    // Not 1 / factor: the length stays exactly what it was, and a part of the error goes with it.
    if (rounded_squares > 0) quantised.scale = static_cast<float>(std::sqrt(squares / rounded_squares));
    return quantised;
}

QUARRY_FOR_EACH_PROCESSOR
std::int32_t dot(std::span<const std::int8_t> a, std::span<const std::int8_t> b) {
    std::int32_t sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

Result<std::vector<float>> unit_vector(std::span<const float> vector) {
    double sum = 0;
    for (const float value : vector) sum += static_cast<double>(value) * value;
    if (!std::isfinite(sum)) return fail(ErrorCode::invalid_argument, "a vector has numbers that are none");
    if (sum == 0) return std::vector<float>();
    const auto scale = static_cast<float>(1 / std::sqrt(sum));
    std::vector<float> unit(vector.begin(), vector.end());
    for (float& value : unit) value *= scale;
    return unit;
}

std::string pack_vector(std::span<const float> unit) {
    const Int8Vector small = quantise(unit);
    std::string bytes(sizeof small.scale + small.values.size(), '\0');
    std::memcpy(bytes.data(), &small.scale, sizeof small.scale);
    std::memcpy(bytes.data() + sizeof small.scale, small.values.data(), small.values.size());
    return bytes;
}

std::vector<float> unpack_vector(std::string_view packed) {
    float scale = 0;
    if (packed.size() < sizeof scale) return {};
    std::memcpy(&scale, packed.data(), sizeof scale);
    std::vector<float> unit;
    unit.reserve(packed.size() - sizeof scale);
    for (const char value : packed.substr(sizeof scale)) {
        unit.push_back(scale * static_cast<float>(static_cast<std::int8_t>(value)));
    }
    return unit;
}

Result<float> cosine(std::string_view packed, const Int8Vector& unit) {
    float scale = 0;
    if (packed.size() != sizeof scale + unit.values.size()) {
        return fail(ErrorCode::corrupt, "the search index is damaged: a vector has the wrong size");
    }
    std::memcpy(&scale, packed.data(), sizeof scale);
    const auto* values = reinterpret_cast<const std::int8_t*>(packed.data() + sizeof scale);
    const std::int32_t product = dot({values, unit.values.size()}, unit.values);
    return static_cast<float>(product) * scale * unit.scale;
}

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

namespace {

// Pages with chunks beyond ?2, and the one before, which may have some too.
constexpr std::string_view pages_from = R"sql(
    SELECT first_chunk, chunks, title FROM page INDEXED BY page_chunk
    WHERE collection = ?1
      AND first_chunk >= coalesce((SELECT first_chunk FROM page INDEXED BY page_chunk
                                   WHERE collection = ?1 AND first_chunk <= ?2
                                   ORDER BY first_chunk DESC LIMIT 1), 0)
    ORDER BY first_chunk)sql";

class Walker {
public:
    Walker(const ChunkWalk& walk, db::Statement passages) : walk_(walk), passages_(std::move(passages)) {}

    bool is_done() const { return found_.size() >= static_cast<std::size_t>(walk_.limit); }
    std::vector<EmbeddedIndex::ChunkText> take() { return std::move(found_); }

    Result<void> visit(const db::Statement& page) {
        const std::int64_t first = page.integer(0);
        const auto places = TRY(unpack_places(page.text(1)));
        for (std::size_t at = 0; at < places.size() && !is_done(); ++at) {
            const std::int64_t id = first + static_cast<std::int64_t>(at);
            if (id <= walk_.after || !TRY(walk_.wants(id, places[at].slot))) continue;
            const std::size_t within = at % chunks_together;
            TRY(open(id - static_cast<std::int64_t>(within)));
            if (within >= together_.size()) {
                return fail(ErrorCode::corrupt, "the search index is damaged: a chunk has no text");
            }
            found_.push_back({.id = id, .chunk = together_[within], .title = std::string(page.text(2))});
        }
        return {};
    }

private:
    Result<void> open(std::int64_t passages) {
        if (opened_ == passages) return {};
        passages_.bind(passages);
        together_.clear();
        if (TRY(passages_.step())) together_ = TRY(unpack_passages(passages_.text(0)));
        passages_.reset();
        opened_ = passages;
        return {};
    }

    const ChunkWalk& walk_;
    db::Statement passages_;
    std::int64_t opened_ = -1;
    std::vector<Chunk> together_;
    std::vector<EmbeddedIndex::ChunkText> found_;
};

}  // namespace

Result<std::vector<EmbeddedIndex::ChunkText>> walk_chunks(db::Connection& connection, const ChunkWalk& walk) {
    db::Statement pages = TRY(connection.prepare(pages_from));
    Walker walker(walk, TRY(connection.prepare("SELECT bytes FROM passages WHERE id = ?1")));
    pages.bind(walk.collection, walk.after + 1);
    while (!walker.is_done() && TRY(pages.step())) TRY(walker.visit(pages));
    return walker.take();
}

Result<std::optional<Slot>> slot_of(db::Connection& connection, std::int64_t collection, std::int64_t chunk) {
    // Pages without chunks share the id of the one that comes next, so there may be several.
    db::Statement pages = TRY(connection.prepare(R"sql(
        SELECT first_chunk, chunks FROM page INDEXED BY page_chunk
        WHERE collection = ?1 AND first_chunk <= ?2 AND length(chunks) > 0
        ORDER BY first_chunk DESC LIMIT 1)sql"));
    pages.bind(collection, chunk);
    if (!TRY(pages.step())) return std::nullopt;
    const auto places = TRY(unpack_places(pages.text(1)));
    const auto at = static_cast<std::size_t>(chunk - pages.integer(0));
    if (at >= places.size()) return std::nullopt;
    return places[at].slot;
}

Result<bool> SeenChunks::has(Slot slot) {
    const Slot number = slot / slots_per_block;
    auto found = blocks_.find(number);
    if (found == blocks_.end()) {
        VectorRows rows = TRY(VectorRows::open(connection_));
        auto block = TRY(rows.block(space_, number));
        found = blocks_.emplace(number, std::move(block)).first;
    }
    return found->second && found->second->is_seen(slot);
}

}  // namespace quarry::index
