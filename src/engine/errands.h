// What has to ask the store or wait for it, done on a thread of its own: the dispatcher, which starts every
// page of every crawl, never waits for the disk.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <thread>

#include "base/work_queue.h"
#include "store/reader.h"

namespace quarry::work {

class Errands {
public:
    // With a reader, which is used by nobody else. Tells of its end by a message to somebody's mailbox.
    using Errand = std::move_only_function<void(store::Reader&)>;

    // `done` is told of each, on that thread, once is_idle() knows of it.
    Errands(std::unique_ptr<store::Reader> reader, std::function<void()> done);
    ~Errands();  // does what is queued

    // In this order. Never waits.
    void run(Errand errand) {
        ++open_;
        queue_.push(std::move(errand));
    }
    bool is_idle() const { return open_ == 0; }
    // So many are given and not done.
    std::size_t open() const { return static_cast<std::size_t>(open_.load()); }
    // Waits until everything that was given is done; nothing may be given after this, but by an errand.
    void finish();
    // Whoever has a long way to go by errands that give the next one gives up then. Any thread.
    bool is_finishing() const { return is_finishing_; }

private:
    void serve();

    const std::unique_ptr<store::Reader> reader_;
    const std::function<void()> done_;
    std::atomic<int> open_ = 0;
    std::atomic<bool> is_finishing_ = false;
    WorkQueue<Errand> queue_;
    std::jthread thread_;
};

}  // namespace quarry::work
