// The URLs of one host that wait in this process, a short queue for each crawl, and the pace at which the
// host may be asked.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "crawl/politeness.h"
#include "model/ids.h"
#include "store/store.h"
#include "work/crawl_context.h"

namespace quarry::work {

struct WaitingUrl {
    store::UrlLease lease{};
    std::shared_ptr<CrawlContext> crawl{};
};

// Used by the dispatcher's thread, except for the pace, which the end of a fetch changes on another.
class HostQueue {
public:
    HostQueue(HostId host, std::string host_name) : id(host), name(std::move(host_name)) {}

    const HostId id;
    const std::string name;
    Guarded<crawl::SharedPace> pace{crawl::SharedPace()};

    // Takes the wishes of a crawl that goes to this host, and of the host's robots.txt, into account, until
    // the crawl is removed.
    void obey(const CrawlContext& crawl, std::optional<std::chrono::milliseconds> crawl_delay);
    bool has_delay() const {
        return pace.with([](const crawl::SharedPace& all) { return all.has_crawl_delay(); });
    }

    void add(WaitingUrl url);
    // The next URL, crawls taking turns. Crawls that have as many pages under way as they may, or have to
    // wait for their time, are passed over. Nothing if none can start.
    std::optional<WaitingUrl> take_next(Timestamp now);
    // When the first of them may; nothing if something has to end first.
    std::optional<Timestamp> next_start(Timestamp now) const;
    // Puts back what could not start after all, at the front.
    void put_back(WaitingUrl url);
    // Takes out everything of a crawl that is over or paused.
    std::vector<WaitingUrl> remove(GroupId group);
    std::vector<WaitingUrl> remove_all();

    std::size_t waiting() const { return waiting_; }
    // Of them, those of crawls that asked for a delay: they wait for themselves, and hold up nobody.
    std::size_t waiting_slowly() const;
    // Crawls with a delay that have so many here.
    std::vector<GroupId> slow_crawls_with(std::size_t urls) const;
    bool is_queued = false;               // among the hosts that the dispatcher will look at next
    std::optional<Timestamp> wakes_at{};  // it is among the timers for then

private:
    struct Queue {
        std::shared_ptr<CrawlContext> crawl;
        std::deque<WaitingUrl> urls;

        bool is_slow() const { return crawl->options.delay.count() > 0; }
    };

    std::vector<Queue> queues_;  // one per crawl that has URLs here
    std::size_t next_ = 0;
    std::size_t waiting_ = 0;
};

}  // namespace quarry::work
