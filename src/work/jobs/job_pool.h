// The threads that run jobs other than the URLs of crawls, each by the handler of its kind.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/queues.h"
#include "base/result.h"
#include "fetch/fetcher.h"
#include "store/outcome.h"
#include "store/reader.h"
#include "store/store.h"
#include "work/crawl_context.h"
#include "work/engine_messages.h"

namespace quarry::work {

// What every handler may use.
struct JobTools {
    store::Store& store;    // to ask; handlers do not write
    store::Reader& reader;  // of this thread
    fetch::Fetcher& fetcher;
    const CrawlDefaults& defaults;
    std::stop_token stop{};
};

// Computes what should become true. An error is an attempt that failed: see retry_delay.h for what follows.
using Handler = std::function<Result<store::Outcome>(const store::JobLease&, const JobTools&)>;

struct JobPoolConfig {
    int threads = 2;
    CrawlDefaults defaults{};
    std::function<Result<std::unique_ptr<store::Reader>>()> open_reader{};
    std::stop_token abort{};
};

class JobPool {
public:
    static Result<std::unique_ptr<JobPool>> open(store::Store& store, fetch::Fetcher& fetcher,
                                                 std::shared_ptr<EngineMailbox> mailbox,
                                                 JobPoolConfig config);
    // Waits for the jobs that have begun.
    ~JobPool();

    void add(store::JobLease job);
    // Begins no more: what waits goes back to the store at once, and what is added from now on.
    void stop();
    void describe_room(store::Demand& demand) const;
    bool is_idle() const { return jobs_ == 0; }

private:
    JobPool(store::Store& store, fetch::Fetcher& fetcher, std::shared_ptr<EngineMailbox> mailbox,
            JobPoolConfig config);

    void give_back(const std::deque<store::JobLease>& jobs);
    void run_jobs(store::Reader& reader);
    store::Outcome run(const store::JobLease& job, const JobTools& tools) const;

    store::Store& store_;
    fetch::Fetcher& fetcher_;
    std::shared_ptr<EngineMailbox> mailbox_;
    JobPoolConfig config_;
    std::map<std::string, Handler> handlers_;
    WorkQueue<store::JobLease> queue_;
    bool is_stopped_ = false;  // known to the engine's thread, which adds and stops
    std::atomic<std::size_t> jobs_ = 0;
    std::vector<std::unique_ptr<store::Reader>> readers_;
    std::vector<std::jthread> threads_;
};

}  // namespace quarry::work
