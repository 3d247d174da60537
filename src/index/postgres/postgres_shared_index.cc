#include "index/postgres/shared_index.h"

namespace quarry::index {

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

// The replica, once it has caught up. If the log cannot be read the replica is as good an answer as there is;
// a replica that cannot be written is another matter.
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
    for (const IndexLog::CollectionState& state : states) names.push_back(state.name);
    return names;
}

}  // namespace quarry::index
