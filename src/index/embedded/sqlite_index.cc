// Opening, and everything that writes.
#include "index/embedded/sqlite_index.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "index/embedded/schema.h"
#include "index/embedded/upkeep.h"
#include "index/embedded/vectors.h"
#include "index/index.h"

namespace quarry::index {

namespace {

constexpr std::string_view builtin = "builtin";

// What a person is told of a file that cannot be used.
Error with_path(Error error, const std::string& path) {
    if (!error.message.starts_with(path)) error.message = path + ": " + error.message;
    return error;
}

bool has_vectors(std::span<const IndexedPage> pages) {
    return std::ranges::any_of(pages, [](const IndexedPage& page) {
        return std::ranges::any_of(page.chunks, [](const auto& chunk) { return !chunk.vector.empty(); });
    });
}

Result<void> drop_spaces(db::Connection& connection, std::int64_t collection) {
    db::Statement drop =
        TRY(connection.prepare("UPDATE space SET state = 2, bytes = NULL WHERE collection = ?1"));
    return drop.bind(collection).run();
}

Result<std::int64_t> next_chunk_of(db::Connection& connection) {
    return TRY(connection.integer("SELECT value FROM meta WHERE name = 'next_chunk'")).value_or(1);
}

}  // namespace

Result<std::unique_ptr<EmbeddedIndex>> open_embedded_index(const EmbeddedIndexConfig& config) {
    auto opened = SqliteIndex::open(config);
    if (!opened) return std::unexpected(with_path(std::move(opened).error(), config.path));
    return opened;
}

SqliteIndex::SqliteIndex(const EmbeddedIndexConfig& config) : connections_(config.path) {}

Result<std::unique_ptr<EmbeddedIndex>> SqliteIndex::open(const EmbeddedIndexConfig& config) {
    std::unique_ptr<SqliteIndex> index(new SqliteIndex(config));
    if (config.access == EmbeddedIndexConfig::Access::write) {
        TRY(index->open_for_writing(config));
    } else {
        auto lease = TRY(index->connections_.take());
        TRY(check_small_tables(lease->connection()));
        TRY(index->look());
    }
    return index;
}

Result<void> SqliteIndex::open_for_writing(const EmbeddedIndexConfig& config) {
    db::Connection connection = TRY(db::Connection::open(config.path, db::Access::create));
    TRY(prepare_for_writing(connection));
    TRY(check_small_tables(connection));
    TRY(abandon_unfinished(connection));
    collections_ = TRY(load_collections(connection));
    WriterRows rows{.pages = TRY(PageRows::open(connection)), .vectors = TRY(VectorRows::open(connection))};
    const std::int64_t next_chunk = TRY(next_chunk_of(connection));
    writer_.emplace(std::move(connection), std::move(rows), *this, config.tail_chunks);
    writer_->next_chunk = next_chunk;
    return {};
}

Result<std::unique_lock<std::mutex>> SqliteIndex::begin_writing() {
    if (!writer_) return fail(ErrorCode::refused, "the search index was opened for reading only");
    return stop_writing();
}

std::unique_lock<std::mutex> SqliteIndex::stop_writing() {
    const std::lock_guard turn(turn_);
    return std::unique_lock(writing_);
}

CollectionState* SqliteIndex::find_collection(const std::string& collection) {
    const auto found = collections_.find(collection);
    return found == collections_.end() ? nullptr : found->second.get();
}

Result<CollectionState*> SqliteIndex::ensure_collection(const std::string& collection) {
    if (CollectionState* known = find_collection(collection)) return known;
    db::Statement insert = TRY(writer_->connection.prepare(
        "INSERT INTO collection VALUES(NULL, ?1, 0, 0, '', '', '', 0) RETURNING id"));
    insert.bind(collection);
    TRY(insert.step());
    auto state = std::make_unique<CollectionState>();
    state->view.id = insert.integer(0);
    state->view.name = collection;
    TRY(insert.step());
    const auto changing = lock_.to_change();
    return collections_.emplace(collection, std::move(state)).first->second.get();
}

// Within a transaction. The space is not yet among those of the state.
Result<void> SqliteIndex::add_space(CollectionState& state, SpaceRow space, std::int64_t fitted_on,
                                    const std::optional<std::string>& bytes) {
    db::Statement insert =
        TRY(writer_->connection.prepare("INSERT INTO space VALUES(?1, ?2, ?3, ?4, ?5, ?6)"));
    insert.bind(space.id, state.view.id, static_cast<int>(space.state), space.dimensions, fitted_on);
    if (bytes) {
        insert.bind_at(6, db::Blob{*bytes});
    } else {
        insert.bind_at(6, nullptr);
    }
    return insert.run();
}

// Vectors of a service have a space too, which nobody had to fit.
Result<void> SqliteIndex::ensure_space(CollectionState& state) {
    if (state.view.space != 0) return {};
    if (state.view.embedder.provider == builtin) {
        return fail(ErrorCode::conflict, "the collection has no space yet that vectors could be of");
    }
    db::Connection& connection = writer_->connection;
    db::Transaction transaction = TRY(db::Transaction::begin(connection));
    const SpaceRow space{
        .id = TRY(connection.integer("SELECT coalesce(max(seq), 0) + 1 FROM sqlite_sequence WHERE name = "
                                     "'space'"))
                  .value_or(1),
        .state = SpaceState::used,
        .dimensions = state.view.embedder.dimensions};
    TRY(add_space(state, space, 0, std::nullopt));
    db::Statement use = TRY(connection.prepare("UPDATE collection SET space = ?2 WHERE id = ?1"));
    TRY(use.bind(state.view.id, space.id).run());
    TRY(transaction.commit());
    state.spaces.push_back(space);
    const auto changing = lock_.to_change();
    state.view.space = space.id;
    state.view.is_builtin = false;
    state.view.signs = Signs(space.dimensions);
    return {};
}

Result<void> SqliteIndex::write_pages(CollectionState& state, std::span<const IndexedPage> replaced,
                                      std::span<const RemovedPage> removed) {
    PageWriting writing(writer_->rows, state, writer_->next_chunk);
    db::Transaction transaction = TRY(db::Transaction::begin(writer_->connection));
    for (const IndexedPage& page : replaced) TRY(writing.replace(page));
    for (const RemovedPage& page : removed) TRY(writing.remove(page));
    TRY(writing.finish());
    db::Statement counter =
        TRY(writer_->connection.prepare("INSERT OR REPLACE INTO meta VALUES('next_chunk', ?1)"));
    TRY(counter.bind(writing.next_chunk()).run());

    const std::unique_lock publishing(publishing_);
    TRY(transaction.commit());
    writer_->next_chunk = writing.next_chunk();
    writing.prepare_view();
    const auto changing = lock_.to_change();
    writing.change_view();
    return {};
}

// The change is durable whatever happens here: what cannot be done now is done later. Only a damage has to be
// known.
Result<void> SqliteIndex::keep_up(CollectionState& state, std::size_t chunks) {
    // Nothing is lost if a power cut undoes these transactions, for they add nothing.
    TRY(writer_->connection.execute("PRAGMA synchronous = NORMAL"));
    const Result<void> kept = writer_->upkeep.keep_up(state, writer_->next_chunk, chunks);
    TRY(writer_->connection.execute("PRAGMA synchronous = FULL"));
    if (!kept && kept.error().code == ErrorCode::corrupt) return kept;
    return {};
}

Result<void> SqliteIndex::replace(const std::string& collection, std::vector<IndexedPage> pages) {
    const auto writing = TRY(begin_writing());
    CollectionState* state = TRY(ensure_collection(collection));
    if (has_vectors(pages)) TRY(ensure_space(*state));
    const std::int64_t before = writer_->next_chunk;
    TRY(write_pages(*state, pages, {}));
    return keep_up(*state, static_cast<std::size_t>(writer_->next_chunk - before));
}

Result<void> SqliteIndex::remove(const std::string& collection, std::span<const RemovedPage> pages) {
    const auto writing = TRY(begin_writing());
    CollectionState* state = find_collection(collection);
    if (!state) return {};
    TRY(write_pages(*state, {}, pages));
    return keep_up(*state, pages.size());
}

Result<void> SqliteIndex::remove_collection(const std::string& collection) {
    const auto writing = TRY(begin_writing());
    CollectionState* state = find_collection(collection);
    if (!state) return {};
    db::Connection& connection = writer_->connection;
    db::Transaction transaction = TRY(db::Transaction::begin(connection));
    db::Statement drop = TRY(connection.prepare("UPDATE collection SET is_dropped = 1 WHERE id = ?1"));
    TRY(drop.bind(state->view.id).run());
    db::Statement segments = TRY(connection.prepare("UPDATE segment SET state = 2 WHERE collection = ?1"));
    TRY(segments.bind(state->view.id).run());
    db::Statement pending = TRY(connection.prepare("DELETE FROM pending WHERE collection = ?1"));
    TRY(pending.bind(state->view.id).run());
    TRY(drop_spaces(connection, state->view.id));
    TRY(transaction.commit());

    writer_->upkeep.forget(*state);
    std::unique_ptr<CollectionState> removed;  // its memory is given back when searches may go on
    const auto changing = lock_.to_change();
    removed = std::move(collections_.find(collection)->second);
    collections_.erase(collection);
    return {};
}

Result<void> SqliteIndex::set_embedder(const std::string& collection, const EmbedderFacts& facts) {
    const auto writing = TRY(begin_writing());
    CollectionState* state = TRY(ensure_collection(collection));
    CollectionView& view = state->view;
    const bool is_same = is_same_embedder(view.embedder, facts);
    if (is_same && view.embedder == facts) return {};
    db::Connection& connection = writer_->connection;
    db::Transaction transaction = TRY(db::Transaction::begin(connection));
    db::Statement update = TRY(connection.prepare(R"sql(
        UPDATE collection SET provider = ?2, model = ?3, version = ?4, dimensions = ?5,
                              space = iif(?6, space, 0)
        WHERE id = ?1)sql"));
    TRY(update.bind(view.id, facts.provider, facts.model, facts.version, facts.dimensions, is_same).run());
    if (!is_same) TRY(drop_spaces(connection, view.id));
    TRY(transaction.commit());

    writer_->upkeep.expect_garbage();
    if (!is_same) state->spaces.clear();
    Signs none;
    const auto changing = lock_.to_change();
    view.embedder = facts;
    if (is_same && view.signs.dimensions() > 0) view.embedder.dimensions = view.signs.dimensions();
    if (is_same) return {};
    view.space = 0;
    view.is_builtin = false;
    std::swap(view.signs, none);
    return {};
}

Result<int> SqliteIndex::begin_space(const std::string& collection, std::int64_t fitted_on,
                                     std::string bytes) {
    const auto writing = TRY(begin_writing());
    CollectionState* state = TRY(ensure_collection(collection));
    // Its vectors may have been dropped, or have become a service's, while the space was fitted.
    const std::string& provider = state->view.embedder.provider;
    if (!provider.empty() && provider != builtin)
        return fail(ErrorCode::conflict, "the collection has another embedder by now");
    db::Connection& connection = writer_->connection;
    db::Transaction transaction = TRY(db::Transaction::begin(connection));
    db::Statement drop = TRY(
        connection.prepare("UPDATE space SET state = 2, bytes = NULL WHERE collection = ?1 AND state = 0"));
    TRY(drop.bind(state->view.id).run());
    const SpaceRow space{
        .id = TRY(connection.integer("SELECT coalesce(max(seq), 0) + 1 FROM sqlite_sequence WHERE name = "
                                     "'space'"))
                  .value_or(1)};
    TRY(add_space(*state, space, fitted_on, std::move(bytes)));
    TRY(transaction.commit());
    std::erase_if(state->spaces, [](const SpaceRow& row) { return row.state == SpaceState::filling; });
    state->spaces.push_back(space);
    return static_cast<int>(space.id);
}

Result<void> SqliteIndex::add_vectors(const std::string& collection, int space,
                                      std::span<const ChunkVector> vectors) {
    const auto writing = TRY(begin_writing());
    CollectionState* state = find_collection(collection);
    SpaceRow* row = state ? state->space(space) : nullptr;
    if (!row) return fail(ErrorCode::not_found, fmt::format("there is no space {}", space));
    SpaceWriting adding(writer_->rows.vectors, *row);
    db::Transaction transaction = TRY(db::Transaction::begin(writer_->connection));
    for (const ChunkVector& vector : vectors) {
        // One that has gone meanwhile is no loss.
        const std::optional<Slot> slot = TRY(slot_of(writer_->connection, state->view.id, vector.id));
        if (!slot) continue;
        const std::vector<float> unit = TRY(unit_vector(vector.vector));
        TRY(adding.put(*slot, vector.id, unit));
    }
    TRY(adding.finish());
    TRY(transaction.commit());
    *row = adding.space();
    if (row->state != SpaceState::used) return {};
    const auto changing = lock_.to_change();
    if (state->view.signs.dimensions() != row->dimensions) state->view.signs = Signs(row->dimensions);
    for (const auto& [slot, signs] : adding.signs()) state->view.signs.put(slot, signs);
    return {};
}

Result<void> SqliteIndex::use_space(const std::string& collection, int space) {
    const auto writing = TRY(begin_writing());
    CollectionState* state = find_collection(collection);
    SpaceRow* row = state ? state->space(space) : nullptr;
    if (!row) return fail(ErrorCode::not_found, fmt::format("there is no space {}", space));
    if (row->state == SpaceState::used) return {};
    db::Connection& connection = writer_->connection;
    Signs signs = TRY(load_signs(connection, *row, state->view.slots));
    db::Transaction transaction = TRY(db::Transaction::begin(connection));
    db::Statement states = TRY(connection.prepare(
        "UPDATE space SET state = iif(id = ?2, 1, 2), bytes = iif(id = ?2, bytes, NULL) WHERE collection = "
        "?1"));
    TRY(states.bind(state->view.id, space).run());
    db::Statement use = TRY(connection.prepare("UPDATE collection SET space = ?2 WHERE id = ?1"));
    TRY(use.bind(state->view.id, space).run());
    TRY(transaction.commit());

    const SpaceRow used{.id = row->id, .state = SpaceState::used, .dimensions = row->dimensions};
    state->spaces = {used};
    writer_->upkeep.expect_garbage();
    const auto changing = lock_.to_change();
    state->view.space = space;
    state->view.is_builtin = true;
    state->view.embedder.dimensions = used.dimensions;
    std::swap(state->view.signs, signs);
    return {};
}

Result<void> SqliteIndex::set_source(const std::string& name) {
    const auto writing = TRY(begin_writing());
    db::Statement put = TRY(writer_->connection.prepare("INSERT OR REPLACE INTO meta VALUES('source', ?1)"));
    return put.bind(name).run();
}

Result<void> SqliteIndex::set_position(const std::string& collection, const std::string& position) {
    const auto writing = TRY(begin_writing());
    db::Connection& connection = writer_->connection;
    db::Statement put = TRY(connection.prepare("INSERT OR REPLACE INTO meta VALUES(?1, ?2)"));
    // A power cut may undo it, but never without what came after it.
    TRY(connection.execute("PRAGMA synchronous = NORMAL"));
    const Result<void> done = put.bind(position_name(collection), position).run();
    TRY(connection.execute("PRAGMA synchronous = FULL"));
    return done;
}

// Others may write between two steps.
Result<bool> SqliteIndex::settle_some() {
    const auto writing = TRY(begin_writing());
    TRY(writer_->connection.execute("PRAGMA synchronous = NORMAL"));
    const Result<bool> has_more = writer_->upkeep.do_some(writer_->next_chunk);
    TRY(writer_->connection.execute("PRAGMA synchronous = FULL"));
    if (has_more && !*has_more) writer_->connection.release_memory();
    return has_more;
}

Result<void> SqliteIndex::settle() {
    while (TRY(settle_some())) {
    }
    const auto writing = TRY(begin_writing());
    TRY(writer_->connection.checkpoint());
    return {};
}

}  // namespace quarry::index
