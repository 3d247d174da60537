// Ends leases, many at once, on a thread of its own. What an outcome brings of pages goes to the content
// store first, fenced by the lease; only then the lease ends in Redis. So nothing is complete before it is
// durable, and whatever breaks in between is done again and has its effect once.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "store/redis/link.h"
#include "store/store.h"

namespace quarry::store::redis {

class Finisher {
public:
    struct Parts {
        RedisLink& link;
        Store& content;
        std::function<std::vector<std::int64_t>()> take_begun;  // ids and tokens in turn
        std::function<void(const ScriptAnswer&)> on_answer;
    };
    explicit Finisher(Parts parts);
    ~Finisher();  // ends what was submitted

    // Waits while too much is on its way.
    void submit(std::vector<Finished> finished, Store::FinishCallback callback, CommitMode mode);

private:
    struct Call {
        std::vector<Finished> finished{};
        Store::FinishCallback callback{};
        CommitMode mode = CommitMode::immediate;
        std::vector<Verdict> verdicts{};
        std::optional<Error> error{};
    };
    // One outcome on its way.
    struct Item {
        Call* call = nullptr;
        std::size_t index = 0;
        Visited kept{};
        bool has_content = false;
        bool is_settled = false;  // its verdict is known, or its call has failed

        Finished& finished() const { return call->finished[index]; }
    };

    void run();
    std::deque<Call> next_calls(std::unique_lock<std::mutex>& lock);
    void finish_all(std::deque<Call>& calls);
    void finish_some(std::span<Item> items);
    void keep_pages(std::span<Item> items);
    Result<void> check_and_keep(std::span<Item*> items);
    Result<void> keep_visits(const KeptCrawl& crawl, std::span<Item*> items, std::vector<Visit> visits);
    Message message_of(std::span<Item*> open);
    Result<void> end_leases(std::span<Item> items);
    static void settle(Item& item, Verdict verdict);

    Parts parts_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Call> queue_;
    std::size_t on_their_way_ = 0;
    bool is_stopping_ = false;
    std::jthread thread_;
};

}  // namespace quarry::store::redis
