// The worker: leases what is due, runs it, and finishes it. URLs of crawls go over the wire many at a time
// and are read on all cores; every other kind of job has a handler.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "fetch/fetcher.h"
#include "fetch/pdf/pdf.h"
#include "store/reader.h"
#include "store/store.h"
#include "work/crawl_context.h"
#include "work/indexing/indexer.h"
#include "work/jobs/webhooks.h"
#include "work/page/model_answers.h"
#include "work/page/rendering.h"
#include "work/retry.h"

namespace quarry::work {

class UrlsUnderWay;

struct EngineConfig {
    std::string name{};  // of this worker, as `status` shows it
    std::function<Result<std::unique_ptr<store::Reader>>()> open_reader{};  // one for each thread that reads
    int max_fetches = 256;                    // pages on the wire at once, over all hosts
    int cpu_threads = 0;                      // that read pages; 0: one per core
    std::uint64_t body_budget = 64ull << 20;  // bytes of pages between the wire and the store
    std::chrono::milliseconds heartbeat{5'000};
    std::chrono::milliseconds sweep_every{300'000};
    store::Retention retention{};
    fetch::PdfLimits pdf{};
    CrawlDefaults crawls{};
    RenderTools rendering{};
    AnswerTools answering{};
    IndexTools indexing{};
    WebhookTools webhooks{};
    std::chrono::milliseconds patience{
        20'000};                     // of a run that ends, with what is under way; then it goes back
    std::string index_collection{};  // index only this one's pages; "" for all
    Outage::Tell store_changed{};    // away, or back
};

// When a run ends by itself. A stop request always ends it: what is under way is finished, or given back when
// the engine's patience is over; what was leased and not begun is given back.
struct RunUntil {
    bool drained = false;                   // nothing is left, delayed and leased jobs included
    std::chrono::milliseconds idle_for{0};  // nothing was due for this long; 0: never
    std::function<bool()> enough{};         // asked after every change of the store

    // Everything of it can be found, or waits for a service that is not there.
    struct Indexed {
        std::string collection{};        // "" for all
        std::optional<GroupId> group{};  // of a crawl, which is over or paused then
    };
    std::optional<Indexed> indexed{};

    // Of the outbox no more is worked on than this; the run ends when that is done.
    struct Changes {
        int at_most = 0;
        std::string collection{};  // "" for all
    };
    std::optional<Changes> changes{};
};

class Engine {
public:
    // Both outlive the engine.
    Engine(store::Store& store, fetch::Fetcher& fetcher, EngineConfig config);
    ~Engine();

    // Works on the calling thread and its own until it ends. A database server that is away is waited for.
    // An embedded store that can take no more work (disk full, low on space) is waited for by a run that ends
    // only when it is stopped or idle; any other fails with `unavailable`. Fails as the store does when that
    // cannot pass: everything that was acknowledged is kept, and the next run goes on.
    Result<void> run(const RunUntil& until, std::stop_token stop);

    // What is on the wire right now, the longest first. Any thread.
    std::vector<std::string> current_urls(std::size_t limit) const;

    // Why the store cannot be worked on; nothing while it can. Any thread.
    std::optional<Error> store_trouble() const { return outage_.reason(); }

    // Pages are on their way into the index, or a space is being renewed. Any thread.
    bool is_indexing() const { return is_indexing_; }

private:
    class Run;
    Result<void> run_once(const RunUntil& until, std::stop_token stop);
    Result<void> retire_workers();

    store::Store& store_;
    fetch::Fetcher& fetcher_;
    EngineConfig config_;
    std::unique_ptr<UrlsUnderWay> under_way_;
    std::atomic<bool> is_indexing_ = false;
    Outage outage_;
    std::vector<WorkerId> former_workers_;  // of runs that are over; may hold leases still
};

}  // namespace quarry::work
