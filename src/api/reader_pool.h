// Where requests are answered that have to wait for the disk: some threads, each with a reader of its own.
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
    int most_of_owner = 4;  // of the readers, that one owner may have at once
};

class ReaderPool {
public:
    using Work = std::move_only_function<void(store::Reader&)>;
    using OpenReader = std::function<Result<std::unique_ptr<store::Reader>>()>;

    static Result<std::unique_ptr<ReaderPool>> open(ReaderPoolConfig config, const OpenReader& open_reader);
    ~ReaderPool() { close(); }

    // Any thread, a desk's own too. Owners take turns; the errands of one are begun in order. False if so
    // many wait already that one more would wait too long, and once it is closed. An work that throws
    // (there is no memory, no thread to be had) is given up alone: who holds a call in it leaves an answer.
    bool post(const std::string& owner, Work work);
    // Runs what was left with it, and waits for that.
    void close();

private:
    struct Line {
        std::deque<Work> errands{};
        int running = 0;
    };

    ReaderPool(ReaderPoolConfig config, std::vector<std::unique_ptr<store::Reader>> readers);
    void run(store::Reader& reader);
    // The next owner's turn; turns_.end() if there is none that may have another desk.
    std::deque<std::string>::iterator next_turn();

    static constexpr std::size_t most_waiting = 5'000, most_waiting_of_owner = 2'500;

    const ReaderPoolConfig config_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::string, Line> lines_;  // of owners for whom something waits or runs
    std::deque<std::string> turns_;      // owners for whom something waits
    std::size_t waiting_ = 0;
    bool is_closed_ = false;
    std::vector<std::unique_ptr<store::Reader>> readers_;
    std::vector<std::jthread> threads_;
};

}  // namespace quarry::api
