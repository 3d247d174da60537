// The dispatcher starts every page of every crawl and never waits for the disk.
// What has to ask the store, or to wait for it, runs here on threads of its own: the leaser asks for work,
// the others run single tasks in order.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include "base/queues.h"
#include "store/reader.h"
#include "store/store.h"
#include "work/engine_messages.h"

namespace quarry::work {

// Asks the store for work on a thread of its own, since the answer may have to wait for a disk, and the
// dispatcher must not.

class Leaser {
public:
    Leaser(store::Store& store, std::shared_ptr<EngineMailbox> mailbox);

    // What there is room for now; replaces what was asked before. Answered once with LeasesArrived as soon
    // as something is due; NothingDue is posted each time nothing is. Returns the question's number.
    std::uint64_t ask(store::Demand demand);
    // The same, and the store is asked at once, even if nothing has changed since it was asked last.
    std::uint64_t ask_now(store::Demand demand);
    // Asks for nothing more. An answer may still be on its way.
    void withdraw();

    void stop();  // and waits for the thread to end

private:
    void run(std::stop_token stop);
    struct Question {
        store::Demand demand{};
        std::uint64_t number = 0;
    };
    std::optional<Question> next_question(std::stop_token stop);
    void wait(std::uint64_t seen, Timestamp until, std::uint64_t answered);

    store::Store& store_;
    std::shared_ptr<EngineMailbox> mailbox_;
    std::mutex mutex_;
    std::condition_variable_any asked_;
    std::optional<Question> question_;
    std::uint64_t questions_ = 0;
    std::uint64_t urgent_ = 0;       // the last question that cannot wait
    std::stop_source interruption_;  // of the wait for a change
    std::jthread thread_;
};

// What has to ask the store or wait for it, done on a thread of its own: the dispatcher, which starts every
// page of every crawl, never waits for the disk.

class StoreTasks {
public:
    // With a reader, which is used by nobody else. Tells of its end by a message to somebody's mailbox.
    using Task = std::move_only_function<void(store::Reader&)>;

    // `done` is told of each, on that thread, once is_idle() knows of it.
    StoreTasks(std::unique_ptr<store::Reader> reader, std::function<void()> done);
    ~StoreTasks();  // does what is queued

    // In this order. Never waits.
    void run(Task task) {
        ++open_;
        queue_.push(std::move(task));
    }
    bool is_idle() const { return open_ == 0; }
    // So many are given and not done.
    std::size_t open() const { return static_cast<std::size_t>(open_.load()); }
    // Waits until everything that was given is done; nothing may be given after this, but by an task.
    void finish();
    // Whoever has a long way to go by store_tasks that give the next one gives up then. Any thread.
    bool is_finishing() const { return is_finishing_; }

private:
    void serve();

    const std::unique_ptr<store::Reader> reader_;
    const std::function<void()> done_;
    std::atomic<int> open_ = 0;
    std::atomic<bool> is_finishing_ = false;
    WorkQueue<Task> queue_;
    std::jthread thread_;
};

}  // namespace quarry::work
