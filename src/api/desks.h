// Where requests are answered that have to wait for the disk: some threads, each with a reader of its own.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "base/result.h"
#include "base/work_queue.h"
#include "store/reader.h"

namespace quarry::api {

class Desks {
public:
    using Errand = std::move_only_function<void(store::Reader&)>;
    using OpenReader = std::function<Result<std::unique_ptr<store::Reader>>()>;

    static Result<std::unique_ptr<Desks>> open(int count, const OpenReader& open_reader);
    ~Desks() { close(); }

    // Any thread, a desk's own too. False if so many wait already that one more would wait too long, and once
    // it is closed.
    bool post(Errand errand);
    // Runs what was left with it, and waits for that.
    void close();

private:
    explicit Desks(std::vector<std::unique_ptr<store::Reader>> readers);
    void run(store::Reader& reader);

    static constexpr int most_waiting = 5'000;
    std::atomic<int> waiting_ = 0;
    std::atomic<bool> is_closed_ = false;
    WorkQueue<Errand> errands_;
    std::vector<std::unique_ptr<store::Reader>> readers_;
    std::vector<std::jthread> threads_;
};

}  // namespace quarry::api
