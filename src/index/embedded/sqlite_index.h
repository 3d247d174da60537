// The embedded index as a whole: who may write, who may read, and in which order.
//
// Every change is one transaction under the writer's mutex. When the transaction is durable, the view in
// memory is changed while no search reads it, which takes microseconds. A search first reads the postings it
// needs, without any lock, then scores them while the view stands still. If segments were exchanged in
// between, the search begins again.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>

#include "index/embedded/collection.h"
#include "index/embedded/embedded_index.h"
#include "index/embedded/page_writing.h"
#include "index/embedded/reading.h"
#include "index/embedded/upkeep.h"

namespace quarry::index {

class SqliteIndex : public EmbeddedIndex {
public:
    static Result<std::unique_ptr<EmbeddedIndex>> open(const EmbeddedIndexConfig& config);

    Result<void> replace(const std::string& collection, std::vector<IndexedPage> pages) override;
    Result<void> remove(const std::string& collection, std::span<const RemovedPage> pages) override;
    Result<void> remove_collection(const std::string& collection) override;
    Result<void> set_embedder(const std::string& collection, const EmbedderFacts& facts) override;
    Result<int> begin_space(const std::string& collection, std::int64_t fitted_on,
                            std::string bytes) override;
    Result<void> add_vectors(const std::string& collection, int space,
                             std::span<const ChunkVector> vectors) override;
    Result<void> use_space(const std::string& collection, int space) override;
    Result<void> set_source(const std::string& name) override;
    Result<void> set_position(const std::string& collection, const std::string& position) override;
    Result<void> settle() override;

    Result<std::vector<Scored>> match(const std::string& collection, const KeywordQuery& query,
                                      const Filter& filter, int limit) override;
    Result<std::vector<Scored>> nearest(const std::string& collection, std::span<const float> vector,
                                        const Filter& filter, int limit) override;
    Result<std::vector<FoundChunk>> read(const std::string& collection,
                                         std::span<const ChunkRef> chunks) override;
    Result<std::vector<std::vector<float>>> vectors(const std::string& collection,
                                                    std::span<const ChunkRef> chunks) override;
    Result<IndexFacts> facts(const std::string& collection) override;
    Result<std::vector<std::string>> collections() override;
    Result<std::vector<std::string>> similar_words(const std::string& collection, const std::string& word,
                                                   int limit) override;
    Result<std::vector<ChunkText>> chunks_after(const std::string& collection, std::int64_t after, int limit,
                                                int stride) override;
    Result<std::vector<ChunkText>> chunks_without(const std::string& collection, int space,
                                                  std::int64_t after, int limit) override;
    Result<std::optional<StoredSpace>> space(const std::string& collection, int known) override;
    Result<std::string> source() override;
    Result<std::string> position(const std::string& collection) override;

private:
    static std::string position_name(const std::string& collection) { return "position " + collection; }
    Result<std::string> meta_text(const std::string& name);

    // What only the process that writes has.
    struct Writer {
        Writer(db::Connection opened, WriterRows prepared, SqliteIndex& index, std::size_t tail_chunks)
            : connection(std::move(opened)),
              rows(std::move(prepared)),
              upkeep(connection, index.collections_, index.lock_, tail_chunks) {}

        db::Connection connection;
        WriterRows rows;
        std::int64_t next_chunk = 1;
        Upkeep upkeep;
    };
    // A read connection in a snapshot. Without a writer here, the view is that of the snapshot, and no other
    // look is open.
    struct Look {
        std::unique_lock<std::mutex> alone;
        ReadConnections::Lease rows;
    };

    explicit SqliteIndex(const EmbeddedIndexConfig& config);
    Result<void> open_for_writing(const EmbeddedIndexConfig& config);

    Result<std::unique_lock<std::mutex>> begin_writing();
    // While the returned lock is held, nothing changes.
    std::unique_lock<std::mutex> stop_writing();
    CollectionState* find_collection(const std::string& collection);
    Result<CollectionState*> ensure_collection(const std::string& collection);
    Result<void> ensure_space(CollectionState& state);
    Result<void> add_space(CollectionState& state, SpaceRow space, std::int64_t fitted_on,
                           const std::optional<std::string>& bytes);
    Result<void> write_pages(CollectionState& state, std::span<const IndexedPage> replaced,
                             std::span<const RemovedPage> removed);
    Result<void> keep_up(CollectionState& state, std::size_t chunks);
    Result<bool> settle_some();

    Result<Look> look();
    // Nullptr if there is no such collection. The caller holds the lock.
    const CollectionView* view_of(const std::string& collection) const;
    struct Found {
        std::vector<Scored> scored{};
        bool is_complete = true;
    };
    struct NearQuery {
        const std::string& collection;
        std::span<const float> unit{};
        const Filter& filter;
        int limit = 0;
    };
    enum class Patience { none, waits_for_commits };
    Result<Found> try_nearest(const NearQuery& query, Patience patience);
    Result<std::optional<std::vector<Scored>>> try_match(const std::string& collection,
                                                         const KeywordQuery& query, const Filter& filter,
                                                         int limit);

    ViewLock lock_;
    Collections collections_;  // changed by the writer while no search reads

    std::mutex turn_;  // to write: a waiting thread is not overtaken
    std::mutex writing_;
    // Held from a commit until the view has followed it. A thread that also holds it sees both in the same
    // state.
    std::shared_mutex publishing_;
    std::optional<Writer> writer_;

    ReadConnections connections_;
    std::mutex looking_;  // without a writer
    std::int64_t seen_version_ = -1;
};

}  // namespace quarry::index
