// The dispatcher starts every page of every crawl and never waits for the disk. Work that has to ask the
// store, or to wait for it, runs here on threads of its own: the leaser asks for work, the others run single
// tasks in order.
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

// Asks the store for work on a thread of its own, because the answer may have to wait for a disk, and the
// dispatcher must not wait.
class Leaser {
public:
    Leaser(store::Store& store, std::shared_ptr<EngineMailbox> mailbox);

    // Asks for the work that there is room for now. Replaces the question before it. LeasesArrived is posted
    // once, as soon as something is due; NothingDue is posted each time nothing is. Returns the number of the
    // question.
    std::uint64_t ask(store::Demand demand);
    // The same, but the store is asked at once, even if nothing has changed since the last question.
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

// Runs tasks that have to ask the store, or to wait for it, on a thread of its own. The dispatcher, which
// starts every page of every crawl, never waits for the disk.
class StoreTasks {
public:
    // Gets a reader that nobody else uses. Reports its end by a message to a mailbox.
    using Task = std::move_only_function<void(store::Reader&)>;

    // `done` is called after each task, on that thread, once is_idle() knows that the task has ended.
    StoreTasks(std::unique_ptr<store::Reader> reader, std::function<void()> done);
    ~StoreTasks();  // does what is queued

    // Runs the tasks in the order of the calls. Never waits.
    void run(Task task) {
        ++open_;
        queue_.push(std::move(task));
    }
    bool is_idle() const { return open_ == 0; }
    // The number of tasks that were given and are not done.
    std::size_t open() const { return static_cast<std::size_t>(open_.load()); }
    // Waits until every task that was given is done. After this call, only a task may give another one.
    void finish();
    // A long chain of tasks, each of which gives the next one, gives up when this is true. Any thread may
    // ask.
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
