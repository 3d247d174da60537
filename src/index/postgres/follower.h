// Brings an embedded index, the replica, up to what a log in PostgreSQL has. Each collection of the replica
// has a position: the log's identity, the collection's id there, and the last sequence number that was taken
// over. It is written after what it covers, and taking over something again changes nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/embedded/embedded_index.h"
#include "index/postgres/index_log.h"

namespace quarry::index {

class Follower {
public:
    // Gives the pages of a builtin collection their vectors. Called for every batch; what it returns is held
    // until the batch was written, so that the space stays the one they were folded into.
    using Prepare = std::function<Result<std::shared_lock<std::shared_mutex>>(
        const std::string& collection, const EmbedderFacts& embedder, std::vector<IndexedPage>& pages)>;

    // Both outlive it. Nobody else writes to the replica. One that followed another database, or none, is
    // begun anew.
    static Result<std::unique_ptr<Follower>> open(IndexLog& log, EmbeddedIndex& replica,
                                                  Prepare prepare = {});

    // Takes over what the log had when it was called. Any thread; the second waits for the first. While
    // `goes_on` says so, which is asked before each batch of a collection. Fails as the log and the replica
    // do; what was taken over by then stays.
    Result<void> catch_up(const std::function<bool(const std::string& collection)>& goes_on = {});

private:
    struct Position {
        std::int64_t id = 0, sequence = 0;
        friend bool operator==(const Position&, const Position&) = default;
    };

    Follower(IndexLog& log, EmbeddedIndex& replica, Prepare prepare)
        : log_(log), replica_(replica), prepare_(std::move(prepare)) {}
    Result<Position> position_of(const std::string& collection);
    Result<void> set_position(const std::string& collection, Position position);
    Result<void> drop_missing(const std::vector<IndexLog::CollectionState>& states);
    Result<Position> begin(const IndexLog::CollectionState& state);
    Result<Position> follow(const std::string& collection, Position position);
    Result<void> take_over(const std::string& collection, IndexLog::Batch batch);

    IndexLog& log_;
    EmbeddedIndex& replica_;
    const Prepare prepare_;
    std::mutex turn_;
    std::map<std::string, Position> positions_;  // those that were asked for
};

}  // namespace quarry::index
