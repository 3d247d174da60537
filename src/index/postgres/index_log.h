// What is to be found, in PostgreSQL: the newest version of every page with its chunks, in the order of their
// changes. Workers on any host write here; whoever answers searches follows (follower.h) into an index of its
// own. Nothing is searched here.
//
// Every change has a sequence number within its collection, and these are in the order of the commits: who
// has seen number 17 misses none below it. So the last thing that a transaction does is to take its numbers
// from the collection's row, which is then locked until the commit.
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

// Each transaction that changes something is told on this channel (NOTIFY), with no further words.
inline constexpr const char* log_channel = "quarry_index";

// Any thread. Changing has the promises of Index, and can be done again without harm.
class IndexLog {
public:
    // Makes the tables if they are not there.
    static Result<std::unique_ptr<IndexLog>> open(const db::PgConfig& database);

    // Which database this is, among all.
    const std::string& identity() const { return identity_; }

    Result<void> replace(const std::string& collection, std::vector<IndexedPage> pages);
    Result<void> remove(const std::string& collection, std::span<const RemovedPage> pages);
    Result<void> remove_collection(const std::string& collection);
    Result<void> set_embedder(const std::string& collection, const EmbedderFacts& facts);

    // Names the store whose pages are here: set once, when they all have been asked for. 0 if nobody did.
    Result<std::uint64_t> source();
    Result<void> set_source(std::uint64_t salt);

    struct CollectionPosition {
        std::int64_t id = 0;  // another one if the collection was dropped and made anew
        std::string name{};
        std::int64_t sequence = 0;  // of its last change
    };
    Result<std::vector<CollectionPosition>> collections();

    // What has changed after a sequence number: so many pages as they are now, in order. A batch without any
    // may still bring another embedder.
    struct Batch {
        bool is_known = false;  // false: the collection was dropped
        EmbedderFacts embedder{};
        std::vector<IndexedPage> pages{};  // their vectors are those of a service
        std::vector<RemovedPage> removed{};
        std::int64_t sequence = 0;  // nothing is missing up to here
    };
    Result<Batch> read(std::int64_t collection, std::int64_t after, int max_pages);

    // Counts rows: not for every search.
    Result<IndexFacts> facts(const std::string& collection);

private:
    IndexLog(const db::PgConfig& database, int connections) : pool_(database, connections) {}
    using Work = std::function<Result<void>(db::PgConnection&)>;
    // Again on another connection, or after a deadlock: what is done here can be done twice.
    Result<void> attempt(const Work& work);
    Result<void> in_transaction(const std::string& settings, const Work& work);
    Result<void> change(const Work& work);
    Result<bool> has_embedder(const std::string& collection, const EmbedderFacts& facts);
    Result<void> sweep();

    db::PgPool pool_;
    std::string identity_;
};

}  // namespace quarry::index
