// The index of many machines. Every worker writes to a log in PostgreSQL (index_log.h). Every process that
// answers searches has a replica, an embedded index of its own, and a Follower that brings it up to the log.
// Answers are therefore those of an embedded index, and as quick, and the replica still answers when
// PostgreSQL cannot be reached. For each collection the replica keeps a position: the identity of the log,
// the id of the collection there, and the last sequence number that was taken over. The position is written
// after what it covers, and taking over something again changes nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "base/result.h"
#include "db/postgres/connection.h"
#include "index/embedded/embedded_index.h"
#include "index/postgres/index_log.h"

namespace quarry::index {

class Follower {
public:
    // Gives the pages of a builtin collection their vectors. It is called for every batch. The lock that it
    // returns is held until the batch was written, so that the space stays the one into which the pages were
    // folded.
    using Prepare = std::function<Result<std::shared_lock<std::shared_mutex>>(
        const std::string& collection, const EmbedderFacts& embedder, std::vector<IndexedPage>& pages)>;

    // The log and the replica outlive the Follower. Nobody else writes to the replica. A replica that
    // followed another database, or none, is begun anew.
    static Result<std::unique_ptr<Follower>> open(IndexLog& log, EmbeddedIndex& replica,
                                                  Prepare prepare = {});

    // Takes over what the log had when this was called. Any thread may call this; the second waits for the
    // first. `goes_on` is asked before each batch of a collection; when it says no, the call returns. Fails
    // as the log and the replica do. What was taken over by then stays.
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
    Result<void> drop_missing(const std::vector<IndexLog::CollectionPosition>& states);
    Result<Position> begin(const IndexLog::CollectionPosition& state);
    Result<Position> follow(const std::string& collection, Position position);
    Result<void> take_over(const std::string& collection, IndexLog::Batch batch);

    IndexLog& log_;
    EmbeddedIndex& replica_;
    const Prepare prepare_;
    std::mutex turn_;
    std::map<std::string, Position> positions_;  // those that were asked for
};

// What an answer takes into account.
enum class Freshness {
    exact,     // all that was written anywhere before the question, if PostgreSQL can be reached
    followed,  // what another caller of Follower::catch_up has taken over by then
};

struct SharedIndexConfig {
    db::PgConfig database{};
    EmbeddedIndex* replica = nullptr;  // outlives the index. Nullptr: only writing, facts and collections
    Follower::Prepare prepare{};
    Freshness freshness = Freshness::exact;
};

class SharedIndex : public Index {
public:
    static Result<std::unique_ptr<SharedIndex>> open(const SharedIndexConfig& config);

    Result<void> replace(const std::string& collection, std::vector<IndexedPage> pages) override;
    Result<void> remove(const std::string& collection, std::span<const RemovedPage> pages) override;
    Result<void> remove_collection(const std::string& collection) override;
    Result<void> set_embedder(const std::string& collection, const EmbedderFacts& facts) override;

    bool is_shared() const override { return true; }

    // Without a replica these are `unsupported`.
    Result<std::vector<Scored>> match(const std::string& collection, const KeywordQuery& query,
                                      const Filter& filter, int limit) override;
    Result<std::vector<Scored>> nearest(const std::string& collection, std::span<const float> vector,
                                        const Filter& filter, int limit) override;
    Result<std::vector<FoundChunk>> read(const std::string& collection,
                                         std::span<const ChunkRef> chunks) override;
    Result<std::vector<std::vector<float>>> vectors(const std::string& collection,
                                                    std::span<const ChunkRef> chunks) override;
    Result<std::vector<std::string>> similar_words(const std::string& collection, const std::string& word,
                                                   int limit) override;

    Result<IndexFacts> facts(const std::string& collection) override;
    Result<std::vector<std::string>> collections() override;

    IndexLog& log() { return *log_; }
    Follower* follower() { return follower_.get(); }  // nullptr without a replica

    // Why the last answer may have been out of date; nothing if it was not.
    std::optional<Error> trouble() const {
        return trouble_.with([](const auto& error) { return error; });
    }

private:
    SharedIndex(std::unique_ptr<IndexLog> log, const SharedIndexConfig& config)
        : log_(std::move(log)), replica_(config.replica), freshness_(config.freshness) {}
    Result<EmbeddedIndex*> fresh();

    std::unique_ptr<IndexLog> log_;
    EmbeddedIndex* const replica_;
    const Freshness freshness_;
    std::unique_ptr<Follower> follower_;
    Guarded<std::optional<Error>> trouble_;
};

}  // namespace quarry::index
