// The threads that answer requests which have to wait for the disk. Each thread has a reader of its own.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "store/reader.h"

namespace quarry::api {

struct ReaderPoolConfig {
    int count = 4;
    int most_of_owner = 4;  // readers that one owner may use at once
};

class ReaderPool {
public:
    using Work = std::move_only_function<void(store::Reader&)>;
    using OpenReader = std::function<Result<std::unique_ptr<store::Reader>>()>;

    static Result<std::unique_ptr<ReaderPool>> open(ReaderPoolConfig config, const OpenReader& open_reader);
    ~ReaderPool() { close(); }

    // Any thread may post, the pool's own too. Owners take turns; the work of one owner is begun in order.
    // Returns false if so much work waits already that more would wait too long, and once the pool is closed.
    // If work throws (no memory or no thread is available), only that work is given up: a call that it held
    // is answered when the work is destroyed.
    bool post(const std::string& owner, Work work);
    // Runs the work that was posted, and waits for its end.
    void close();

private:
    struct Line {
        std::deque<Work> errands{};
        int running = 0;
    };

    ReaderPool(ReaderPoolConfig config, std::vector<std::unique_ptr<store::Reader>> readers);
    void run(store::Reader& reader);
    // The next owner's turn; turns_.end() if no owner that waits may use another reader.
    std::deque<std::string>::iterator next_turn();

    static constexpr std::size_t most_waiting = 5'000, most_waiting_of_owner = 2'500;

    const ReaderPoolConfig config_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::string, Line> lines_;  // of owners whose work waits or runs
    std::deque<std::string> turns_;      // owners whose work waits
    std::size_t waiting_ = 0;
    bool is_closed_ = false;
    std::vector<std::unique_ptr<store::Reader>> readers_;
    std::vector<std::jthread> threads_;
};

}  // namespace quarry::api
