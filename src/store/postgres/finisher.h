// The thread that makes outcomes true: it takes all that wait, so that hundreds share one commit.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "store/postgres/transactor.h"
#include "store/store.h"

namespace quarry::store::postgres {

class Finisher {
public:
    Finisher(Transactor& transactor, Transactor::Tell tell);
    ~Finisher();  // does what is queued, then stops

    // Waits while too much is queued already.
    void submit(std::vector<Finished> finished, Store::FinishCallback callback, CommitMode mode);

private:
    struct Call {
        std::vector<Finished> finished{};
        Store::FinishCallback callback{};
        CommitMode mode{};
    };
    using Verdicts = Result<std::vector<Verdict>>;

    void run();
    std::vector<Call> next_batch();
    void finish(std::vector<Call>& calls);
    Verdicts finish_all(std::span<Finished> finished, Durability durability);
    // Completes what is nothing but completed. The verdicts of those are set.
    Result<void> finish_plain(std::span<Finished> finished, std::vector<std::optional<Verdict>>& verdicts,
                              Durability durability);

    Transactor& transactor_;
    Transactor::Tell tell_;
    std::mutex mutex_;
    std::condition_variable filled_, emptied_;
    std::deque<Call> queue_;
    std::size_t queued_ = 0;             // outcomes
    std::size_t immediate_waiting_ = 0;  // calls that do not want to wait for others
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace quarry::store::postgres
