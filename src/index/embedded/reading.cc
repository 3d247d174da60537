#include "index/embedded/reading.h"

#include <fmt/format.h>

#include "index/embedded/page_rows.h"
#include "index/embedded/schema.h"
#include "index/embedded/segments.h"

namespace quarry::index {

namespace {

// Each has a cache; more than this are closed again when a rush is over.
constexpr std::size_t max_idle = 4;

}  // namespace

Result<std::unique_ptr<ReadConnection>> ReadConnection::open(const std::string& path) {
    db::Connection connection = TRY(db::Connection::open(path, db::Access::read_only));
    TRY(prepare_for_reading(connection));
    std::unique_ptr<ReadConnection> opened(new ReadConnection(std::move(connection)));
    TRY(opened->prepare());
    return opened;
}

Result<void> ReadConnection::prepare() {
    leaf_ = TRY(connection_.prepare(
        "SELECT bytes FROM leaf WHERE segment = ?1 AND first <= ?2 ORDER BY first DESC LIMIT 1"));
    vector_ = TRY(connection_.prepare("SELECT bytes FROM vector WHERE space = ?1 AND chunk = ?2"));
    page_ = TRY(connection_.prepare(fmt::format(
        "SELECT first_chunk, chunks, {} FROM page WHERE collection = ?1 AND page = ?2", label_columns)));
    passages_ = TRY(connection_.prepare("SELECT bytes FROM passages WHERE id = ?1"));
    return {};
}

void ReadConnection::reset() {
    for (db::Statement* statement : {&leaf_, &vector_, &page_, &passages_}) statement->reset();
}

Result<void> ReadConnection::add_postings(const std::vector<Segment>& segments, TermLists& lists) {
    for (const Segment& segment : segments) {
        leaf_.bind(segment.id, db::Blob{lists.term});
        if (TRY(leaf_.step())) {
            const auto found = find_in_leaf(leaf_.text(0), lists.term);
            if (found) lists.add(*found);
            leaf_.reset();
            if (!found) return std::unexpected(found.error());
        }
        leaf_.reset();
    }
    return {};
}

Result<std::optional<std::string_view>> ReadConnection::vector(std::int64_t space, std::int64_t chunk) {
    vector_.bind(space, chunk);
    if (!TRY(vector_.step())) return std::nullopt;
    return vector_.text(0);
}

Result<std::optional<std::int64_t>> ReadConnection::id_of(std::int64_t collection, ChunkRef ref) {
    page_.bind(collection, number(ref.page));
    if (!TRY(page_.step())) return std::nullopt;
    const auto places = TRY(unpack_places(page_.text(1)));
    if (ref.index < 0 || static_cast<std::size_t>(ref.index) >= places.size()) return std::nullopt;
    return page_.integer(0) + ref.index;
}

Result<std::optional<FoundChunk>> ReadConnection::chunk(std::int64_t collection, ChunkRef ref) {
    const std::optional<std::int64_t> id = TRY(id_of(collection, ref));
    if (!id) return std::nullopt;
    const int within = ref.index % chunks_together;
    passages_.bind(*id - within);
    std::vector<Chunk> together;
    if (TRY(passages_.step())) together = TRY(unpack_passages(passages_.text(0)));
    if (static_cast<std::size_t>(within) >= together.size()) {
        return fail(ErrorCode::corrupt, "the search index is damaged: a chunk has no text");
    }
    FoundChunk found{.ref = ref};
    found.chunk = std::move(together[static_cast<std::size_t>(within)]);
    found.label = label_at(page_, 2);
    return found;
}

Result<ReadConnections::Lease> ReadConnections::take() {
    std::unique_ptr<ReadConnection> connection = idle_.with([](auto& idle) {
        std::unique_ptr<ReadConnection> last;
        if (!idle.empty()) {
            last = std::move(idle.back());
            idle.pop_back();
        }
        return last;
    });
    // Its statements read what was there before.
    if (connection && connection->connection().is_outdated()) connection.reset();
    if (!connection) connection = TRY(ReadConnection::open(path_));
    TRY(connection->connection().execute("BEGIN"));
    return Lease(*this, std::move(connection));
}

void ReadConnections::give_back(std::unique_ptr<ReadConnection> connection) {
    connection->reset();
    // One whose transaction cannot even be ended is closed.
    if (!connection->connection().execute("END")) return;
    idle_.with([&](auto& idle) {
        if (idle.size() < max_idle) idle.push_back(std::move(connection));
    });
}

}  // namespace quarry::index
