// What is known of a page from the events that its browser reports.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

#include "browser/devtools.h"
#include "browser/request.h"

namespace quarry::browser {

struct PageState {
    bool is_over = false;  // the browser or the page's process has ended
    std::string why_over{};
    std::string frame{};   // the main one
    std::string loader{};  // of the document that is there now
    std::vector<std::string> former_loaders{};
    bool is_loaded = false;  // it, with all that it names
    bool is_network_idle = false;
    std::string requested_url{};  // of the last document asked for
    std::string url{};            // of the last document that answered
    int status = 0;
    std::vector<Header> headers{};
    std::string mime_type{};
    std::unordered_set<std::string> in_flight{};
    std::size_t requests = 0;
    std::size_t dialogs = 0;
    std::string downloads{};  // the last URL that wanted to become a file
    std::chrono::steady_clock::time_point last_traffic{};
};

// Fed on the connection's thread, read on the page's.
class PageEvents {
public:
    void take(const std::string& method, const boost::json::object& params);

    // Waits until it holds. Fails with `timeout` at the deadline, `unavailable` if the page is over,
    // `interrupted` if asked to stop.
    Result<void> wait(const std::function<bool(const PageState&)>& holds, Deadline deadline,
                      const std::stop_token& stop);
    PageState state() const;

    // The document that was asked for. The browser may name it before its page tells of it; until then that
    // the former one is loaded does not count.
    void expect(std::string_view loader);

    std::size_t count_requests() const {
        const std::lock_guard lock(mutex_);
        return state_.requests;
    }
    template <typename Change>
    void change(Change&& what) {
        {
            const std::lock_guard lock(mutex_);
            what(state_);
        }
        changed_.notify_all();
    }

private:
    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    PageState state_;
};

}  // namespace quarry::browser
