// The browser of a process: started, or connected to, when a page first needs it, shared by a few pages at
// once, replaced before it grows old, and ended when nobody needs it any more.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/result.h"
#include "browser/chromium.h"
#include "browser/instance.h"
#include "browser/render.h"
#include "browser/request.h"

namespace quarry::browser {

struct PoolConfig {
    ChromiumConfig chromium{};
    std::optional<RemoteConfig> remote{};  // instead: a browser elsewhere is connected to, and none started
    int pages_at_once = 4;

    // A browser takes no new pages after any of these; the next page starts another. One elsewhere is
    // connected to again, and what memory it has is its own affair.
    int pages_per_browser = 500;
    std::chrono::milliseconds age{std::chrono::hours(1)};
    std::uint64_t memory_bytes = std::uint64_t{2} << 30;  // of all its processes

    std::chrono::milliseconds idle{std::chrono::seconds(60)};  // ended after that long without a page
};

struct PoolTally {
    std::uint64_t started = 0;   // browsers
    std::uint64_t rendered = 0;  // pages, with whatever result
    std::uint64_t failed = 0;
    std::uint64_t ended_stuck = 0;  // browsers that had crashed or hung
    int processes = 0;              // right now
    std::uint64_t memory = 0;       // right now
};

// Any thread.
class Pool {
public:
    explicit Pool(PoolConfig config);
    // Waits for the pages under way, which their time limits end, and turns away those that wait for room;
    // then nothing of the browser is left.
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    // Blocks until there is room and the page is done. A page whose browser was ended because of another is
    // tried once more. Fails as browser::render, Chromium::start and connect_to_browser do.
    Result<Rendered> render(const RenderRequest& request);

    PoolTally tally();

private:
    // A browser and who uses it. Shared by the pages that are open in it: the last one ends it.
    struct BrowserInstance {
        std::unique_ptr<Instance> instance{};
        int pages = 0;  // begun in it
        std::chrono::steady_clock::time_point since{};
    };
    struct PageSlot {
        std::shared_ptr<BrowserInstance> resident{};
        Lane lane{};
    };

    class Call;
    Result<PageSlot> acquire_slot(const std::stop_token& stop);
    Result<std::unique_ptr<Instance>> start_in_peace();
    Result<std::unique_ptr<Instance>> start();
    void leave(PageSlot seat, Health health);
    bool is_worn(const BrowserInstance& resident) const;  // by its use; under the lock
    void end_idle(const std::stop_token& stop);

    const PoolConfig config_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::shared_ptr<BrowserInstance> current_;  // takes new pages
    std::shared_ptr<Lanes> remote_lanes_;       // of all connections to a browser elsewhere
    bool is_starting_ = false;
    bool is_closing_ = false;
    int callers_ = 0;    // inside render()
    int under_way_ = 0;  // pages
    std::chrono::steady_clock::time_point last_use_{};
    PoolTally tally_;
    std::jthread idler_;
};

}  // namespace quarry::browser
