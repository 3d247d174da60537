// Pages that take seconds on their way from the wire to the store, in a browser or with a language model,
// have threads of their own there, so that those who fetch and read have none to spare for them.
#pragma once

#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/work_queue.h"
#include "work/page/fetch_page.h"

namespace quarry::work {

class Detour {
public:
    struct Errand {
        const char* name = "";  // of its threads
        int threads = 1;        // that begin with the first page
        std::function<void(FetchedUrl&)> run{};
    };
    using TakeBack = std::function<void(FetchedUrl)>;

    Detour(Errand errand, TakeBack take_back)
        : errand_(std::move(errand)), take_back_(std::move(take_back)) {}
    ~Detour() { close(); }
    Detour(const Detour&) = delete;
    Detour& operator=(const Detour&) = delete;

    // Gives the page back when the errand is done, on a thread of its own, or at once if it is closed. Any
    // thread.
    void add(FetchedUrl fetched);

    // Pages under way are waited for, those that wait come back as interrupted.
    void close();

private:
    bool is_taken(FetchedUrl& fetched);
    bool is_closed();
    void run();

    const Errand errand_;
    const TakeBack take_back_;
    WorkQueue<FetchedUrl> queue_;
    std::mutex mutex_;  // nothing is added once it is closed
    bool is_closed_ = false;
    std::vector<std::jthread> threads_;
};

}  // namespace quarry::work
