// The index of one data folder, with its embedders and its searcher.
// Library opens the index to work on it or to read it, and replaces a damaged index by a new one: the damaged
// one is set aside, not thrown away. FollowedIndex is an index in PostgreSQL with the replica that answers
// here. SearchService searches from any command: the owner of the data answers, or, if there is none, this
// process reads the index itself.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>

#include "app/data_source.h"
#include "app/owner/client.h"
#include "base/guarded.h"
#include "base/result.h"
#include "db/postgres/connection.h"
#include "embed/tei.h"
#include "index/embedded/embedded_index.h"
#include "index/postgres/shared_index.h"
#include "net/http_client.h"
#include "search/query_cache.h"
#include "search/searcher.h"
#include "store/reader.h"
#include "store/store.h"
#include "work/indexing/builtin_spaces.h"
#include "work/indexing/collection_embedders.h"
#include "work/indexing/index_follower.h"
#include "work/indexing/indexer.h"

namespace quarry::app {

// An index that cannot be used is moved out of the way, but not thrown away, so that its damage can be
// examined.

// Renames index.db to index.db.damaged, over a former one.
Result<void> set_aside(const std::string& path);

// An index in PostgreSQL as one process uses it: with the replica that answers here, the replica's spaces,
// and the threads that keep both up to date.

struct FollowedIndexConfig {
    db::PgConfig database{};
    std::string replica{};  // the path of index.db; "": nothing is searched here
    // True: a thread follows the index while it is open. False: each search first reads what is new, and no
    // space is fitted.
    bool follows = true;
    std::function<void(std::string_view)> log{};
};

class FollowedIndex {
public:
    // A damaged replica is set aside and read again from PostgreSQL, and the log says so. The caller holds
    // the lock of the replica's folder.
    static Result<std::unique_ptr<FollowedIndex>> open(const FollowedIndexConfig& config);

    // Puts all pages of the store into its outbox, if that was never done for this store.
    Result<void> begin(store::Store& store);

    index::SharedIndex& index() { return *index_; }
    work::Spaces* spaces() { return spaces_.get(); }             // nullptr without a replica
    work::IndexFollower* follower() { return follower_.get(); }  // nullptr if no thread follows

private:
    FollowedIndex() = default;

    // Destroyed in reverse order: the follower ends first.
    std::unique_ptr<index::EmbeddedIndex> replica_;
    std::unique_ptr<work::Spaces> spaces_;
    std::unique_ptr<index::SharedIndex> index_;
    std::unique_ptr<work::IndexFollower> follower_;
};

// Everything that a search in one data folder needs: the index, the embedders, and the searcher.

class Library {
public:
    using Log = std::function<void(std::string_view)>;

    // For the process that owns the folder. An index that is new, damaged or from another folder is rebuilt:
    // every page goes into the outbox again, and the log says why. With a store in PostgreSQL the index is
    // there too (0016): the index in the folder is a replica, and is read again.
    static Result<std::unique_ptr<Library>> open(const DataSource& place, store::Store& store,
                                                 const Log& log);

    // For any process, while none owns the folder. Fails with `not_found` if nothing has been indexed yet.
    // With a store in PostgreSQL it takes the folder's lock, if that is free, to update the replica.
    static Result<std::unique_ptr<Library>> open_to_read(const DataSource& place);

    // Calls `tell`, on any thread, when the index turns out to be damaged; renew() then replaces it. An index
    // that is elsewhere, or follows one, reports no damage. Has to be set before the first search.
    void on_damage(std::function<void(const Error&)> tell) { damaged_ = std::move(tell); }
    // Sets index.db aside and begins a new one, into which every page goes again; the log says so. Searches
    // wait meanwhile, and then find what the new index has. No thread may write meanwhile.
    Result<void> renew(const DataSource& place, store::Store& store, const Error& damage, const Log& log);

    // Any thread.
    Result<search::SearchAnswer> search(const search::SearchRequest& request);

    work::IndexTools tools();
    index::Index& index() { return *index_; }
    // While the lock is held, index() stays the same.
    std::shared_lock<std::shared_mutex> hold() { return std::shared_lock(use_); }
    work::CollectionEmbedders& embedders() { return *embedders_; }

private:
    explicit Library(std::unique_ptr<store::Reader> reader);
    Result<void> open_services(const Settings& settings);
    Result<void> open_index(const DataSource& place, store::Store& store, const Log& log);
    Result<void> open_qdrant(const Settings& settings);
    Result<void> open_followed(FollowedIndexConfig config);
    Result<void> follow_for_reading(const DataSource& place, const db::PgConfig& database);
    Result<void> read_file(const DataSource& place);
    Result<void> open_searcher(const Settings& settings);
    void use(std::unique_ptr<index::EmbeddedIndex> index);
    work::Spaces* spaces();
    Result<EmbedderFacts> embedder_of(const std::string& collection);
    Result<std::vector<float>> embed_query(const std::string& collection, const std::string& query);

    std::shared_mutex use_;
    std::function<void(const Error&)> damaged_;
    Guarded<std::unique_ptr<store::Reader>> reader_;
    std::unique_ptr<net::HttpClient> client_;
    std::unique_ptr<work::CollectionEmbedders> embedders_;
    std::optional<FolderLock> lock_;  // if it was taken for reading
    // Exactly one of these three is set, and index_ points to it.
    std::unique_ptr<index::EmbeddedIndex> embedded_;
    std::unique_ptr<index::Index> qdrant_;
    std::unique_ptr<FollowedIndex> followed_;
    index::Index* index_ = nullptr;
    std::unique_ptr<work::Spaces> spaces_;       // of the embedded one
    std::unique_ptr<embed::Reranker> reranker_;  // if one is configured
    work::Backoff backoff_ = work::embedding_backoff;
    search::QueryCache query_vectors_;
    std::unique_ptr<search::Searcher> searcher_;
};

// Searches from any command: the owner of the data answers, or, if there is none, this process reads the
// index itself.

// Used by one thread at a time. `place` outlives it.
class SearchService {
public:
    explicit SearchService(const DataSource& place) : place_(place) {}

    // Fails as Searcher::search does, and with `not_found` if nothing has been indexed yet.
    Result<search::SearchAnswer> search(const search::SearchRequest& request);

private:
    Result<std::optional<search::SearchAnswer>> ask_owner(const search::SearchRequest& request);

    const DataSource& place_;
    std::unique_ptr<OwnerLink> owner_;
    std::unique_ptr<Library> library_;
};

}  // namespace quarry::app
