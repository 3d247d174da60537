// Many things made at once and handed over in order. Threads take the next number from a counter and put what
// they make into its slot; the caller's thread waits for the slots in turn. A window bounds how far threads
// may run ahead of a slow one, and with it the memory.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace quarry::work {

// Calls make(index) for every index below `count`, on up to `concurrency` threads, and deliver(made) in
// order, on the calling thread. When deliver returns false, or after a stop request, no more are begun; those
// under way are waited for, and after a stop still delivered as far as the row has no gap.
template <typename Make, typename Deliver>
void run_in_order(std::size_t count, int concurrency, Make make, Deliver deliver, std::stop_token stop = {}) {
    using Made = decltype(make(std::size_t{}));
    constexpr std::size_t window = 64;

    std::mutex mutex;  // of all below
    std::condition_variable_any changed;
    std::vector<std::optional<Made>> slots(count);
    std::size_t next = 0;
    std::size_t delivered = 0;
    bool is_over = false;

    const auto take_next = [&]() -> std::optional<std::size_t> {
        std::unique_lock lock(mutex);
        changed.wait(lock, stop, [&] { return is_over || next >= count || next < delivered + window; });
        if (stop.stop_requested() || is_over || next >= count) return std::nullopt;
        return next++;
    };
    const auto work = [&] {
        while (const auto index = take_next()) {
            Made made = make(*index);
            const std::scoped_lock lock(mutex);
            slots[*index] = std::move(made);
            changed.notify_all();
        }
    };
    // Nothing if a stop came before it was begun.
    const auto wait_for = [&](std::size_t index) -> std::optional<Made> {
        std::unique_lock lock(mutex);
        const auto is_ready = [&] { return slots[index].has_value(); };
        changed.wait(lock, stop, is_ready);
        // What was begun ends by itself; what was not begun before the stop never will.
        if (!is_ready() && index >= next) return std::nullopt;
        changed.wait(lock, is_ready);
        delivered = index + 1;
        changed.notify_all();
        return std::exchange(slots[index], std::nullopt);
    };

    std::vector<std::jthread> threads;
    const auto wanted = static_cast<std::size_t>(std::max(1, concurrency));
    threads.reserve(std::min(wanted, count));
    for (std::size_t i = 0; i < std::min(wanted, count); ++i) threads.emplace_back(work);
    for (std::size_t i = 0; i < count; ++i) {
        std::optional<Made> made = wait_for(i);
        if (!made || !deliver(*std::move(made))) break;
    }
    const std::scoped_lock lock(mutex);
    is_over = true;
    changed.notify_all();
}

}  // namespace quarry::work
