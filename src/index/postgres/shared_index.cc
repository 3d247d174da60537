#include "index/postgres/shared_index.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "index/index.h"

namespace quarry::index {

namespace {

constexpr int pages_per_batch = 256;

std::string source_of(const IndexLog& log) {
    return "postgres " + log.identity();
}

// "identity id sequence".
std::string written(const IndexLog& log, std::int64_t id, std::int64_t sequence) {
    return fmt::format("{} {} {}", log.identity(), id, sequence);
}

// Reads a number and the space after it.
std::int64_t take_number(std::string_view& text) {
    std::int64_t number = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), number).ptr;
    text.remove_prefix(std::min<std::size_t>(text.size(), static_cast<std::size_t>(end - text.data()) + 1));
    return number;
}

}  // namespace

Result<std::unique_ptr<Follower>> Follower::open(IndexLog& log, EmbeddedIndex& replica, Prepare prepare) {
    if (TRY(replica.source()) != source_of(log)) {
        // The source changes first: a store that the replica belonged to must not take it for its own.
        TRY(replica.set_source(source_of(log)));
        const auto names = TRY(replica.collections());
        for (const std::string& name : names) TRY(replica.remove_collection(name));
    }
    return std::unique_ptr<Follower>(new Follower(log, replica, std::move(prepare)));
}

// For a collection of another database: zeros, as for a missing one.
Result<Follower::Position> Follower::position_of(const std::string& collection) {
    if (const auto found = positions_.find(collection); found != positions_.end()) return found->second;
    const std::string stored = TRY(replica_.position(collection));
    Position position;
    if (std::string_view rest = stored; rest.starts_with(log_.identity() + " ")) {
        rest.remove_prefix(log_.identity().size() + 1);
        position.id = take_number(rest);
        position.sequence = take_number(rest);
    }
    return positions_[collection] = position;
}

Result<void> Follower::set_position(const std::string& collection, Position position) {
    if (positions_[collection] == position) return {};
    TRY(replica_.set_position(collection, written(log_, position.id, position.sequence)));
    positions_[collection] = position;
    return {};
}

Result<void> Follower::drop_missing(const std::vector<IndexLog::CollectionPosition>& states) {
    const auto names = TRY(replica_.collections());
    for (const std::string& name : names) {
        if (std::ranges::find(states, name, &IndexLog::CollectionPosition::name) != states.end()) continue;
        TRY(replica_.remove_collection(name));
        TRY(set_position(name, {}));
    }
    return {};
}

// A collection that was dropped and made again has another id. A collection that was restored from a backup
// is behind.
Result<Follower::Position> Follower::begin(const IndexLog::CollectionPosition& state) {
    const Position known = TRY(position_of(state.name));
    if (known.id == state.id && known.sequence <= state.sequence) return known;
    TRY(replica_.remove_collection(state.name));
    const Position start{.id = state.id};
    TRY(set_position(state.name, start));
    return start;
}

Result<void> Follower::take_over(const std::string& collection, IndexLog::Batch batch) {
    const IndexFacts facts = TRY(replica_.facts(collection));
    if (!is_same_embedder(facts.embedder, batch.embedder)) {
        TRY(replica_.set_embedder(collection, batch.embedder));
    }
    std::shared_lock<std::shared_mutex> hold;
    if (prepare_) hold = TRY(prepare_(collection, batch.embedder, batch.pages));
    if (!batch.pages.empty()) TRY(replica_.replace(collection, std::move(batch.pages)));
    if (!batch.removed.empty()) TRY(replica_.remove(collection, batch.removed));
    return {};
}

Result<Follower::Position> Follower::follow(const std::string& collection, Position position) {
    IndexLog::Batch batch = TRY(log_.read(position.id, position.sequence, pages_per_batch));
    if (!batch.is_known) return Position{};
    const Position reached{.id = position.id, .sequence = batch.sequence};
    TRY(take_over(collection, std::move(batch)));
    TRY(set_position(collection, reached));
    return reached;
}

Result<void> Follower::catch_up(const std::function<bool(const std::string& collection)>& goes_on) {
    const std::lock_guard lock(turn_);
    const auto states = TRY(log_.collections());
    TRY(drop_missing(states));
    for (const IndexLog::CollectionPosition& state : states) {
        Position position = TRY(begin(state));
        // A collection that was dropped meanwhile has no id. The next call sees that.
        while (position.id == state.id && position.sequence < state.sequence) {
            if (goes_on && !goes_on(state.name)) return {};
            position = TRY(follow(state.name, position));
        }
    }
    return {};
}

Result<std::unique_ptr<SharedIndex>> SharedIndex::open(const SharedIndexConfig& config) {
    std::unique_ptr<SharedIndex> index(new SharedIndex(TRY(IndexLog::open(config.database)), config));
    if (config.replica) {
        index->follower_ = TRY(Follower::open(*index->log_, *config.replica, config.prepare));
    }
    return index;
}

Result<void> SharedIndex::replace(const std::string& collection, std::vector<IndexedPage> pages) {
    return log_->replace(collection, std::move(pages));
}

Result<void> SharedIndex::remove(const std::string& collection, std::span<const RemovedPage> pages) {
    return log_->remove(collection, pages);
}

Result<void> SharedIndex::remove_collection(const std::string& collection) {
    return log_->remove_collection(collection);
}

Result<void> SharedIndex::set_embedder(const std::string& collection, const EmbedderFacts& facts) {
    return log_->set_embedder(collection, facts);
}

// Returns the replica, once it has caught up. If the log cannot be read, the replica is as good an answer as
// there is. If the replica cannot be written, this fails.
Result<EmbeddedIndex*> SharedIndex::fresh() {
    if (!replica_) {
        return fail(ErrorCode::unsupported,
                    "this process only writes to the search index: ask one that answers searches "
                    "(quarry serve)");
    }
    if (freshness_ == Freshness::followed) return replica_;
    const auto caught_up = follower_->catch_up();
    trouble_.with([&](auto& error) {
        error.reset();
        if (!caught_up) error = caught_up.error();
    });
    if (!caught_up && caught_up.error().code == ErrorCode::corrupt) return std::unexpected(caught_up.error());
    return replica_;
}

Result<std::vector<Scored>> SharedIndex::match(const std::string& collection, const KeywordQuery& query,
                                               const Filter& filter, int limit) {
    return TRY(fresh())->match(collection, query, filter, limit);
}

Result<std::vector<Scored>> SharedIndex::nearest(const std::string& collection, std::span<const float> vector,
                                                 const Filter& filter, int limit) {
    return TRY(fresh())->nearest(collection, vector, filter, limit);
}

Result<std::vector<FoundChunk>> SharedIndex::read(const std::string& collection,
                                                  std::span<const ChunkRef> chunks) {
    return TRY(fresh())->read(collection, chunks);
}

Result<std::vector<std::vector<float>>> SharedIndex::vectors(const std::string& collection,
                                                             std::span<const ChunkRef> chunks) {
    return TRY(fresh())->vectors(collection, chunks);
}

Result<std::vector<std::string>> SharedIndex::similar_words(const std::string& collection,
                                                            const std::string& word, int limit) {
    return TRY(fresh())->similar_words(collection, word, limit);
}

Result<IndexFacts> SharedIndex::facts(const std::string& collection) {
    if (!replica_) return log_->facts(collection);
    return TRY(fresh())->facts(collection);
}

Result<std::vector<std::string>> SharedIndex::collections() {
    if (replica_) return TRY(fresh())->collections();
    std::vector<std::string> names;
    const auto states = TRY(log_->collections());
    for (const IndexLog::CollectionPosition& state : states) names.push_back(state.name);
    return names;
}

}  // namespace quarry::index
