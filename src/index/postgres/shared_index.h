// The index of many machines: writing goes to PostgreSQL, and whoever answers searches has a replica that
// follows. Answers are therefore those of an embedded index, and as quick; and when PostgreSQL cannot be
// reached, what is there can still be found.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/guarded.h"
#include "db/postgres/connection.h"
#include "index/embedded/embedded_index.h"
#include "index/postgres/follower.h"
#include "index/postgres/index_log.h"

namespace quarry::index {

// What an answer knows of.
enum class Freshness {
    exact,     // all that was written anywhere before the question, if PostgreSQL can be asked
    followed,  // what somebody else, who calls Follower::catch_up, has taken over by then
};

struct SharedIndexConfig {
    db::PgConfig database{};
    EmbeddedIndex* replica = nullptr;  // outlives the index. None: only writing, facts and collections
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
