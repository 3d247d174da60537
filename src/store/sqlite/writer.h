// The one thread that writes. It takes everything that waits, makes it one transaction, and answers when that
// is durable: a hundred callers share one fsync.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <semaphore>
#include <span>
#include <thread>
#include <vector>

#include "base/result.h"
#include "db/sqlite.h"
#include "store/store.h"

namespace quarry::store {

// What an operation gives: outside, whether the database did its part (if not, everything is rolled back);
// inside, what the caller is told. An operation that refuses has written nothing.
template <typename T>
using Answer = Result<Result<T>>;

template <typename T>
Answer<T> refuse(ErrorCode code, std::string sentence) {
    return Result<T>(fail(code, std::move(sentence)));
}

enum class Sync : std::uint8_t {
    later,   // may be undone by a power cut: claims, beats
    before,  // durable before it is answered
};

struct Command {
    Sync sync = Sync::before;
    std::size_t weight = 1;  // against the queue's bound
    CommitMode mode = CommitMode::immediate;
    // May be called twice: when a transaction fails, its commands are tried again one by one.
    std::move_only_function<Result<void>()> apply{};
    // Called once, after the commit or with the database's error.
    std::move_only_function<void(Result<void>)> answer{};
};

class Writer {
public:
    // What lives beside the database and must follow it.
    class Book {
    public:
        virtual ~Book() = default;
        virtual Result<void> before_commit() = 0;
        virtual void after_commit() = 0;
        virtual Result<void> rebuild() = 0;  // from what is committed
    };

    // `full_sync`: what is promised to be durable survives a power cut too.
    Writer(db::Connection& connection, Book& book, bool full_sync);
    ~Writer();  // does what is queued, then stops

    // Waits while too much is queued already.
    void submit(Command command);

    // Has the log emptied as soon as no reader needs it: what was removed must not be left there. Any thread.
    void empty_log();

    // Submits and waits for the answer.
    template <typename T, typename Operation>
    Result<T> call(Sync sync, std::size_t weight, Operation operation) {
        std::optional<Answer<T>> answer;
        std::binary_semaphore answered(0);
        submit({.sync = sync,
                .weight = weight,
                .apply = [&]() -> Result<void> {
                    answer = operation();
                    if (!*answer) return std::unexpected(answer->error());
                    return {};
                },
                .answer =
                    [&](Result<void> committed) {
                        if (!committed) answer = std::unexpected(std::move(committed).error());
                        answered.release();
                    }});
        answered.acquire();
        return *answer ? *std::move(*answer) : Result<T>(std::unexpected(std::move(*answer).error()));
    }

private:
    void run();
    std::vector<Command> next_batch();
    void commit(std::vector<Command>& batch);
    void commit_one_by_one(std::vector<Command>& batch);
    Result<void> transact(std::span<Command> commands);
    Result<void> apply(std::span<Command> commands);
    Result<void> set_sync(std::span<const Command> commands);
    void checkpoint();
    void tidy_log();
    Result<bool> truncate_log(std::chrono::milliseconds wait);

    db::Connection& connection_;
    Book& book_;
    const bool full_sync_;
    std::optional<bool> syncs_now_;  // what PRAGMA synchronous was last set to
    bool must_rebuild_ = false;
    std::size_t log_pages_ = 0;
    std::size_t checkpoint_at_;
    std::atomic<bool> must_empty_log_ = false;
    std::chrono::steady_clock::time_point tidy_at_{};

    std::mutex mutex_;
    std::condition_variable filled_, emptied_;
    std::deque<Command> queue_;
    std::size_t queued_weight_ = 0;
    std::size_t immediate_waiting_ = 0;  // of the commands queued
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace quarry::store
