#include "index/embedded/chunk_walk.h"

#include <utility>

#include "index/embedded/page_rows.h"
#include "index/embedded/passages.h"

namespace quarry::index {

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
