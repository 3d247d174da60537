// From the outbox to the index: reads changed pages, cuts them into chunks, has them embedded, and writes
// them. A crash anywhere costs only repetition.
//
//   leases ─▶ preparers (one per core) ─▶ builtin: folded in on the spot ─▶ index writer ─▶ finish
//                                     └─▶ a service: EmbeddingPool ───────┘
//   when a collection has grown (spaces.h): the fitter renews its builtin space beside them
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/queues.h"
#include "index/index.h"
#include "store/reader.h"
#include "store/store.h"
#include "work/engine_messages.h"
#include "work/indexing/builtin_spaces.h"
#include "work/indexing/collection_embedders.h"
#include "work/indexing/embedding.h"
#include "work/indexing/index_follower.h"
#include "work/indexing/index_writer.h"

namespace quarry::work {

// What turns pages into something that can be found. All outlive the engine.
struct IndexTools {
    index::Index* index = nullptr;  // none: changes stay in the outbox
    CollectionEmbedders* embedders = nullptr;
    Spaces* spaces = nullptr;           // with an embedded index only
    IndexFollower* follower = nullptr;  // with a shared index, where its replica is searched
    // Told that the index is damaged, where it can be made anew: what was on its way there waits for that.
    // Any thread. Without it that is an error like any other.
    std::function<void(const Error&)> damaged{};
    // How often an embedder that does not answer is asked again, while pages wait for it.
    std::chrono::milliseconds ask_again_every{10'000};
    Backoff backoff = embedding_backoff;  // between the tries of a page
    // Takes a line about what happened to pages on their way. Any thread.
    std::function<void(std::string)> log{};
};

struct IndexerConfig {
    IndexTools tools{};
    int threads = 1;
    std::string collection{};  // only this one's pages; "" for all
    std::function<Result<std::unique_ptr<store::Reader>>()> open_reader{};
};

class Indexer {
public:
    static Result<std::unique_ptr<Indexer>> open(store::Store& store, std::shared_ptr<EngineMailbox> mailbox,
                                                 IndexerConfig config);
    // Waits for the pages that are under way; a fit is given up.
    ~Indexer();

    void add(std::vector<store::ChangeLease> changes);
    void describe_room(store::Demand& demand) const;
    // Nothing is under way, and every space that was due is in use.
    bool is_idle() const;

    // What has been written to a shared index by now, here and elsewhere, can be found once this look is
    // over.
    std::uint64_t look() { return config_.tools.follower ? config_.tools.follower->look() : 0; }
    bool is_over(std::uint64_t look) const {
        return !config_.tools.follower || config_.tools.follower->is_settled(look);
    }

    // Whether more pages may come soon. While they may, only a space that is far too small is renewed.
    void expect_more(bool more);

private:
    using Changes = std::vector<store::ChangeLease>;
    // What is under way. Shared with callbacks of the store, which may return after the indexer has gone.
    struct Traffic {
        std::mutex mutex;
        std::condition_variable_any changed;
        std::size_t changes = 0;  // leased and not ended
        bool more_is_expected = false;
        IndexWriter::Ended untold{};  // in the log
        std::chrono::steady_clock::time_point told_at{};
        // Nothing without an embedded index. Shared because a callback may be at it when the indexer goes.
        std::shared_ptr<SpaceKeeper> keeper{};
    };

    Indexer(store::Store& store, std::shared_ptr<EngineMailbox> mailbox, IndexerConfig config);
    void prepare(store::Reader& reader);
    void prepare_batch(Changes changes, store::Reader& reader, text::TermReader& terms);
    // What the pages of a collection have in common, asked for once a batch.
    struct Means {
        CollectionEmbedders::Choice embedder{};
        Spaces::Current space{}, next{};
    };
    Error index_error(const Error& error) const;
    Result<Means> means_of(const std::string& collection, store::Reader& reader);
    void prepare_page(PageInWork& work, const StoredPage& page, const Means& means, text::TermReader& terms);
    void forward(PageInWorkPtr work);
    Result<void> keep_spaces();
    static void changes_ended(Traffic& traffic, const IndexWriter::Ended& ended,
                              const std::function<void(std::string)>& log);

    store::Store& store_;
    std::shared_ptr<EngineMailbox> mailbox_;
    const IndexerConfig config_;
    std::shared_ptr<Traffic> traffic_ = std::make_shared<Traffic>();
    std::stop_source abort_;
    WorkQueue<Changes> queue_;
    std::vector<std::unique_ptr<store::Reader>> readers_;
    // In the order in which they must end, the last first.
    std::unique_ptr<ProviderWatch> watch_;
    std::unique_ptr<IndexWriter> writer_;
    std::unique_ptr<EmbeddingPool> embedding_;
    std::vector<std::jthread> preparers_;
};

}  // namespace quarry::work
