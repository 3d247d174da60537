// From chunks whose signs agree with the question's to those that are the nearest: their vectors are read and
// compared, the likeliest first, for as long as that changes anything.
#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/result.h"
#include "index/embedded/matching.h"
#include "index/embedded/reading.h"
#include "index/embedded/similar_words.h"
#include "index/embedded/sqlite_index.h"
#include "index/embedded/vectors.h"
#include "index/index.h"

namespace quarry::index {

struct NearChunk {
    ChunkRef ref{};
    std::int64_t id = 0;
};

// How many are worth comparing at most: at a million chunks the best 10 are among the first 400 signs for .98
// of them, among the first 800 for .99.
inline std::size_t max_compared(int limit) {
    return static_cast<std::size_t>(limit) * 10 + 700;
}

class Rescoring {
public:
    Rescoring(ReadConnection& rows, std::int64_t space, std::span<const float> unit, int limit);

    // The likeliest first.
    Result<void> compare(std::vector<NearChunk>& chunks);

    // Best first.
    std::vector<Scored> take();
    // Whether a vector was not there any more.
    bool has_missed() const { return has_missed_; }

private:
    Result<std::size_t> compare_some(std::span<NearChunk> chunks);

    ReadConnection& rows_;
    std::int64_t space_;
    Int8Vector asked_;
    std::size_t limit_;
    std::vector<Scored> best_;
    bool has_missed_ = false;
};

namespace {

// Compared before it is asked whether to go on.
constexpr std::size_t compared_together = 64;

constexpr auto is_better = [](const Scored& a, const Scored& b) {
    return a.score != b.score ? a.score > b.score : a.chunk < b.chunk;
};

}  // namespace

Rescoring::Rescoring(ReadConnection& rows, std::int64_t space, std::span<const float> unit, int limit)
    : rows_(rows), space_(space), asked_(quantise(unit)), limit_(static_cast<std::size_t>(limit)) {}

Result<void> Rescoring::compare(std::vector<NearChunk>& chunks) {
    for (std::size_t at = 0; at < chunks.size(); at += compared_together) {
        const std::size_t count = std::min(compared_together, chunks.size() - at);
        const std::size_t changed = TRY(compare_some(std::span(chunks).subspan(at, count)));
        // Those that follow agree even less. When hardly one of these was among the best any more, and then
        // among the last of them, they are not worth their reading: at a depth of 100 each is a page of the
        // file, and half of what a search takes.
        if (changed * 20 < limit_ && best_.size() == limit_) break;
    }
    return {};
}

// How many of these are better than the worst of the best so far.
Result<std::size_t> Rescoring::compare_some(std::span<NearChunk> chunks) {
    // Neighbours in the file are read together.
    std::ranges::sort(chunks, {}, &NearChunk::id);
    const bool was_full = best_.size() == limit_;
    const std::size_t known = best_.size();
    const Scored bar = was_full ? best_.back() : Scored{};
    for (const NearChunk& chunk : chunks) {
        const std::optional<std::string_view> packed = TRY(rows_.vector(space_, chunk.id));
        has_missed_ = has_missed_ || !packed;
        if (packed) best_.push_back({.chunk = chunk.ref, .score = TRY(cosine(*packed, asked_))});
    }
    const auto is_among = [&](const Scored& scored) { return !was_full || is_better(scored, bar); };
    const auto changed = std::ranges::count_if(std::span(best_).subspan(known), is_among);
    std::ranges::sort(best_, is_better);
    if (best_.size() > limit_) best_.resize(limit_);
    return static_cast<std::size_t>(changed);
}

std::vector<Scored> Rescoring::take() {
    return std::move(best_);
}

// Everything that only reads.

namespace {

std::vector<TermLists> lists_of(const std::vector<std::string>& terms) {
    std::vector<TermLists> lists;
    for (const std::string& term : terms) lists.push_back({.term = term});
    return lists;
}

Result<void> fill(TermLists& lists, const Sources& sources, ReadConnection& rows) {
    TRY(rows.add_postings(sources.segments, lists));
    for (const auto& part : sources.parts) lists.add(part->find(lists.term));
    return {};
}

Result<QueryLists> read_lists(const KeywordQuery& query, const Sources& sources, ReadConnection& rows) {
    QueryLists lists;
    for (const KeywordQuery::Word& word : query.words) {
        if (word.weight > 0) lists.words.push_back({.lists = {.term = word.term}, .weight = word.weight});
    }
    lists.required = lists_of(query.required);
    lists.excluded = lists_of(query.excluded);
    for (QueryLists::Word& word : lists.words) TRY(fill(word.lists, sources, rows));
    for (TermLists& term : lists.required) TRY(fill(term, sources, rows));
    for (TermLists& term : lists.excluded) TRY(fill(term, sources, rows));
    return lists;
}

// Nothing if every slot is.
std::optional<Bits> allowed_slots(const CollectionView& view, const Filter& filter) {
    const PageFilter pages(filter, view.pages);
    if (pages.admits_all()) return std::nullopt;
    Bits allowed(view.slots.size());
    for (Slot slot = 0; slot < view.slots.size(); ++slot) {
        const PageNumber page = view.slots.at(slot).page;
        if (page != no_page && pages.admits(page)) allowed.set(slot);
    }
    return allowed;
}

std::vector<NearChunk> near_chunks(const CollectionView& view, std::span<const float> unit,
                                   const Filter& filter, int limit) {
    const std::optional<Bits> allowed = allowed_slots(view, filter);
    std::vector<NearChunk> near;
    for (const SignCandidate& candidate :
         view.signs.nearest(unit, max_compared(limit), allowed ? &*allowed : nullptr)) {
        const SlotTable::Entry& entry = view.slots.at(candidate.slot);
        const PageEntry& page = view.pages.at(entry.page);
        near.push_back({.ref = {.page = page.page, .index = static_cast<int>(entry.index)},
                        .id = page.first_chunk + entry.index});
    }
    return near;
}

}  // namespace

Result<SqliteIndex::Look> SqliteIndex::look() {
    std::unique_lock<std::mutex> alone;
    if (!writer_) alone = std::unique_lock(looking_);
    Look look{std::move(alone), TRY(connections_.take())};
    if (writer_) return look;
    // The number changes whenever another process has committed something.
    const std::int64_t version = TRY(look.rows->connection().integer("PRAGMA data_version")).value_or(0);
    if (version == seen_version_) return look;
    Collections loaded = TRY(load_collections(look.rows->connection()));
    const auto changing = lock_.to_change();
    collections_ = std::move(loaded);
    seen_version_ = version;
    return look;
}

const CollectionView* SqliteIndex::view_of(const std::string& collection) const {
    const auto found = collections_.find(collection);
    return found == collections_.end() ? nullptr : &found->second->view;
}

// Nothing if segments were exchanged while their postings were read.
Result<std::optional<std::vector<Scored>>> SqliteIndex::try_match(const std::string& collection,
                                                                  const KeywordQuery& query,
                                                                  const Filter& filter, int limit) {
    Look look = TRY(this->look());
    std::shared_ptr<const Sources> sources;
    {
        const auto looking = lock_.to_look();
        const CollectionView* view = view_of(collection);
        if (!view) return std::vector<Scored>();
        sources = view->sources;
    }
    const QueryLists lists = TRY(read_lists(query, *sources, *look.rows));
    const auto looking = lock_.to_look();
    const CollectionView* view = view_of(collection);
    if (!view || view->sources != sources) return std::nullopt;
    return TRY(best_matches(*view, lists, filter, limit));
}

Result<std::vector<Scored>> SqliteIndex::match(const std::string& collection, const KeywordQuery& query,
                                               const Filter& filter, int limit) {
    constexpr int tries = 3;
    for (int count = 0; count < tries; ++count) {
        std::optional<std::vector<Scored>> found = TRY(try_match(collection, query, filter, limit));
        if (found) return *std::move(found);
    }
    // A fast import changes something all the time. It waits for this one.
    const auto nothing_changes = stop_writing();
    std::optional<std::vector<Scored>> found = TRY(try_match(collection, query, filter, limit));
    if (found) return *std::move(found);
    return fail(ErrorCode::conflict, "the search index changes faster than it can be read: try again");
}

Result<SqliteIndex::Found> SqliteIndex::try_nearest(const NearQuery& query, Patience patience) {
    Look look = TRY(this->look());
    std::shared_lock still(publishing_, std::defer_lock);
    if (patience == Patience::waits_for_commits) still.lock();
    std::vector<NearChunk> near;
    std::int64_t space = 0;
    {
        const auto looking = lock_.to_look();
        const CollectionView* view = view_of(query.collection);
        if (!view || view->signs.count() == 0) return Found{};
        if (view->signs.dimensions() != static_cast<int>(query.unit.size())) {
            return fail(
                ErrorCode::conflict,
                fmt::format("the question's vector has {} dimensions, those of the collection have {}",
                            query.unit.size(), view->signs.dimensions()));
        }
        space = view->space;
        near = near_chunks(*view, query.unit, query.filter, query.limit);
    }
    // The first thing read is where the snapshot begins.
    TRY(look.rows->vector(space, 0));
    if (still.owns_lock()) still.unlock();
    Rescoring rescoring(*look.rows, space, query.unit, query.limit);
    TRY(rescoring.compare(near));
    return Found{.scored = rescoring.take(), .is_complete = !rescoring.has_missed()};
}

Result<std::vector<Scored>> SqliteIndex::nearest(const std::string& collection, std::span<const float> vector,
                                                 const Filter& filter, int limit) {
    const std::vector<float> unit = TRY(unit_vector(vector));
    if (unit.empty() || limit <= 0) return std::vector<Scored>();
    const NearQuery query{.collection = collection, .unit = unit, .filter = filter, .limit = limit};
    Found found = TRY(try_nearest(query, Patience::none));
    // A page was replaced between the two looks. A commit may be durable long before the view shows it, if
    // its thread does not get the processor, so trying again is not enough.
    if (!found.is_complete) found = TRY(try_nearest(query, Patience::waits_for_commits));
    return std::move(found.scored);
}

Result<std::vector<FoundChunk>> SqliteIndex::read(const std::string& collection,
                                                  std::span<const ChunkRef> chunks) {
    Look look = TRY(this->look());
    std::int64_t id = 0;
    {
        const auto looking = lock_.to_look();
        const CollectionView* view = view_of(collection);
        if (!view) return std::vector<FoundChunk>();
        id = view->id;
    }
    std::vector<FoundChunk> found;
    for (const ChunkRef& ref : chunks) {
        std::optional<FoundChunk> chunk = TRY(look.rows->chunk(id, ref));
        if (chunk) found.push_back(*std::move(chunk));
    }
    return found;
}

Result<std::vector<std::vector<float>>> SqliteIndex::vectors(const std::string& collection,
                                                             std::span<const ChunkRef> chunks) {
    Look look = TRY(this->look());
    std::int64_t id = 0, space = 0;
    {
        const auto looking = lock_.to_look();
        if (const CollectionView* view = view_of(collection)) {
            id = view->id;
            space = view->space;
        }
    }
    std::vector<std::vector<float>> vectors;
    for (const ChunkRef& ref : chunks) {
        std::vector<float>& vector = vectors.emplace_back();
        const std::optional<std::int64_t> chunk = TRY(look.rows->id_of(id, ref));
        if (!chunk) continue;
        const auto packed = TRY(look.rows->vector(space, *chunk));
        if (packed) vector = unpack_vector(*packed);
    }
    return vectors;
}

Result<IndexFacts> SqliteIndex::facts(const std::string& collection) {
    const Look look = TRY(this->look());
    const auto looking = lock_.to_look();
    const CollectionView* view = view_of(collection);
    if (!view) return IndexFacts{};
    return IndexFacts{.pages = static_cast<std::int64_t>(view->pages.pages()),
                      .chunks = view->slots.live(),
                      .vectors = view->signs.count(),
                      .embedder = view->embedder,
                      .space = view->is_builtin ? static_cast<int>(view->space) : 0};
}

Result<std::vector<std::string>> SqliteIndex::collections() {
    const Look look = TRY(this->look());
    const auto looking = lock_.to_look();
    std::vector<std::string> names;
    for (const auto& [name, state] : collections_) names.push_back(name);
    return names;
}

Result<std::vector<std::string>> SqliteIndex::similar_words(const std::string& collection,
                                                            const std::string& word, int limit) {
    Look look = TRY(this->look());
    std::shared_ptr<const Sources> sources;
    {
        const auto looking = lock_.to_look();
        const CollectionView* view = view_of(collection);
        if (!view) return std::vector<std::string>();
        sources = view->sources;
    }
    // If segments are exchanged meanwhile some words may be missing: a suggestion less is no harm.
    return find_similar_words(*look.rows, *sources, word, limit);
}

Result<std::vector<EmbeddedIndex::ChunkText>> SqliteIndex::chunks_after(const std::string& collection,
                                                                        std::int64_t after, int limit,
                                                                        int stride) {
    Look look = TRY(this->look());
    ChunkWalk walk{.after = after, .limit = limit};
    walk.wants = [stride](std::int64_t chunk, Slot) -> Result<bool> {
        return stride <= 1 || chunk % stride == 0;
    };
    {
        const auto looking = lock_.to_look();
        const CollectionView* view = view_of(collection);
        if (!view) return std::vector<ChunkText>();
        walk.collection = view->id;
    }
    return walk_chunks(look.rows->connection(), walk);
}

Result<std::vector<EmbeddedIndex::ChunkText>> SqliteIndex::chunks_without(const std::string& collection,
                                                                          int space, std::int64_t after,
                                                                          int limit) {
    Look look = TRY(this->look());
    db::Connection& connection = look.rows->connection();
    db::Statement row = TRY(connection.prepare(
        "SELECT space.collection, space.dimensions FROM space JOIN collection ON collection.id = "
        "space.collection WHERE space.id = ?1 AND state < 2 AND name = ?2 AND NOT is_dropped"));
    row.bind(space, collection);
    if (!TRY(row.step())) return fail(ErrorCode::not_found, fmt::format("there is no space {}", space));
    SeenChunks seen(connection, {.id = space, .dimensions = static_cast<int>(row.integer(1))});
    ChunkWalk walk{.collection = row.integer(0), .after = after, .limit = limit};
    walk.wants = [&](std::int64_t, Slot slot) -> Result<bool> { return !TRY(seen.has(slot)); };
    row.reset();
    return walk_chunks(connection, walk);
}

Result<std::optional<EmbeddedIndex::StoredSpace>> SqliteIndex::space(const std::string& collection,
                                                                     int known) {
    Look look = TRY(this->look());
    std::int64_t used = 0;
    {
        const auto looking = lock_.to_look();
        const CollectionView* view = view_of(collection);
        if (view && view->is_builtin) used = view->space;
    }
    if (used == 0 || used == known) return std::nullopt;
    db::Statement row =
        TRY(look.rows->connection().prepare("SELECT fitted_on, bytes FROM space WHERE id = ?1"));
    row.bind(used);
    // It may have been left while we asked; the next question gets the one after.
    if (!TRY(row.step()) || row.is_null(1)) return std::nullopt;
    return StoredSpace{
        .version = static_cast<int>(used), .fitted_on = row.integer(0), .bytes = std::string(row.text(1))};
}

Result<std::string> SqliteIndex::meta_text(const std::string& name) {
    Look look = TRY(this->look());
    db::Statement row = TRY(look.rows->connection().prepare("SELECT value FROM meta WHERE name = ?1"));
    row.bind(name);
    if (!TRY(row.step())) return std::string();
    return std::string(row.text(0));
}

Result<std::string> SqliteIndex::source() {
    return meta_text("source");
}

Result<std::string> SqliteIndex::position(const std::string& collection) {
    return meta_text(position_name(collection));
}

}  // namespace quarry::index
