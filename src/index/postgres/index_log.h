// What searches can find, in PostgreSQL: the newest version of every page with its chunks, in the order of
// their changes. Workers on any host write here. A process that answers searches copies the changes into an
// index of its own (Follower in shared_index.h). Nothing is searched here.
//
// Every change has a sequence number within its collection, and these numbers are in the order of the
// commits: a reader that has seen number 17 misses none below it. Therefore a transaction takes its numbers
// from the collection's row as its last step. The row is then locked until the commit.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/postgres/connection.h"
#include "index/index.h"

namespace quarry::index {

// Each transaction that changes something sends a NOTIFY on this channel, without a payload.
inline constexpr const char* log_channel = "quarry_index";

// Any thread may use it. Changes keep the promises of Index, and can be repeated without harm.
class IndexLog {
public:
    // Makes the tables if they do not exist.
    static Result<std::unique_ptr<IndexLog>> open(const db::PgConfig& database);

    // Tells this database from all others.
    const std::string& identity() const { return identity_; }

    Result<void> replace(const std::string& collection, std::vector<IndexedPage> pages);
    Result<void> remove(const std::string& collection, std::span<const RemovedPage> pages);
    Result<void> remove_collection(const std::string& collection);
    Result<void> set_embedder(const std::string& collection, const EmbedderFacts& facts);

    // Names the store whose pages are here. It is set once, when all its pages have been asked for. 0 if
    // nobody set it.
    Result<std::uint64_t> source();
    Result<void> set_source(std::uint64_t salt);

    struct CollectionPosition {
        std::int64_t id = 0;  // another one if the collection was dropped and made anew
        std::string name{};
        std::int64_t sequence = 0;  // of its last change
    };
    Result<std::vector<CollectionPosition>> collections();

    // What has changed after a sequence number: so many pages, as they are now, in order. A batch without
    // pages may still bring another embedder.
    struct Batch {
        bool is_known = false;  // false: the collection was dropped
        EmbedderFacts embedder{};
        std::vector<IndexedPage> pages{};  // their vectors are those of a service
        std::vector<RemovedPage> removed{};
        std::int64_t sequence = 0;  // nothing is missing up to here
    };
    Result<Batch> read(std::int64_t collection, std::int64_t after, int max_pages);

    // Counts rows, so it must not be called for every search.
    Result<IndexFacts> facts(const std::string& collection);

private:
    IndexLog(const db::PgConfig& database, int connections) : pool_(database, connections) {}
    using Work = std::function<Result<void>(db::PgConnection&)>;
    // Tries again on another connection, or after a deadlock: the work can be done twice.
    Result<void> attempt(const Work& work);
    Result<void> in_transaction(const std::string& settings, const Work& work);
    Result<void> change(const Work& work);
    Result<bool> has_embedder(const std::string& collection, const EmbedderFacts& facts);
    Result<void> sweep();

    db::PgPool pool_;
    std::string identity_;
};

}  // namespace quarry::index
