// Decides which URL goes over the wire next: hosts at their own pace, crawls in turns, robots.txt first.
// One thread, the engine's, uses the dispatcher. Answers come back on the HTTP client's thread and go
// straight to the page pool.
// UrlsUnderWay lists what is on the wire, for people who watch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/guarded.h"
#include "engine/host_queue.h"
#include "engine/page_pool.h"
#include "engine/store_threads.h"
#include "fetch/fetcher.h"
#include "model/ids.h"
#include "store/owner_quota.h"
#include "store/store.h"
#include "work/crawl_context.h"
#include "work/engine_messages.h"
#include "work/owner_quotas.h"
#include "work/robots_cache.h"

namespace quarry::work {

// What is on the wire, for people who watch.

// Safe to use from many threads at once.
class UrlsUnderWay {
public:
    void begin(JobId id, const std::string& url);
    void end(JobId id);
    std::vector<std::string> longest(std::size_t limit);

private:
    struct Entry {
        std::string url;
        std::uint64_t order = 0;
    };
    struct State {
        std::unordered_map<JobId, Entry> entries;
        std::uint64_t started = 0;
    };
    Guarded<State> state_;
};

// Which URL goes over the wire next: hosts at their own pace, crawls in turns, robots.txt first. Used by one
// thread, the engine's; answers come back on the HTTP client's thread and go straight to the pages' readers.

struct DispatcherParts {
    store::Store& store;
    fetch::Fetcher& fetcher;
    PagePool& pages;
    UrlsUnderWay& under_way;
    StoreTasks& store_tasks;  // whatever has to wait for the store
    std::shared_ptr<EngineMailbox> mailbox;
    CrawlDefaults defaults{};
    std::size_t max_fetches = 256;
    std::stop_token abort{};  // ends what is on the wire at once
};

class UrlDispatcher {
public:
    explicit UrlDispatcher(DispatcherParts parts);

    // Takes leased URLs in. Those of a crawl that cannot be read fail, with the reason.
    void add(std::vector<store::UrlLease> urls, const std::vector<HostRule>& rules);

    void fetch_ended(const FetchEnded& ended);
    void slow_stage_ended();
    void robots_arrived(RobotsCache::Answer answer);
    void crawl_loaded(CrawlLoaded loaded);
    void quota_read(const QuotaRead& read) { quotas_.learn(read.owner, read.said, parts_.store.now()); }
    void group_changed(GroupId group);
    void group_seen(const GroupSeen& seen);

    // Starts everything that may start now.
    void start_due();
    // When something that waits for its time may start.
    std::optional<Timestamp> next_due() const;

    // How many URLs the dispatcher would like to have, and of which hosts it has enough.
    void describe_room(store::Demand& demand) const;

    std::size_t on_the_wire() const { return on_the_wire_; }
    std::size_t waiting() const { return waiting_ + slow_waiting_; }
    // Gives everything that has not started back to the store.
    void release_waiting();

private:
    enum class Start { started, done_without, not_now };

    HostQueue& lane_of(const store::UrlLease& lease);
    void forget_quiet_hosts();
    void add(store::UrlLease lease, std::shared_ptr<CrawlContext> crawl);
    void load(GroupId group);
    void look_at(HostQueue& lane);
    void start_lane(HostQueue& lane);
    void wake_later(HostQueue& lane, std::optional<Timestamp> when);
    std::size_t& waiting_of(const CrawlContext& crawl) {
        return crawl.options.delay.count() > 0 ? slow_waiting_ : waiting_;
    }
    Start start(HostQueue& lane, WaitingUrl& url);
    const RobotsCache::Rules* rules_for(const url::Url& url, WaitingUrl& waiting, HostQueue& lane);
    void fetch(HostQueue& lane, WaitingUrl url, url::Url address, OwnerQuotas::Taken taken);
    void finish_without_fetch(WaitingUrl url, store::Outcome outcome);
    void release(std::vector<store::LeaseRef> leases);

    DispatcherParts parts_;
    RobotsCache robots_;
    OwnerQuotas quotas_;
    std::shared_ptr<store::StorageLooks> storage_ = std::make_shared<store::StorageLooks>();
    std::unordered_map<HostId, std::shared_ptr<HostQueue>> lanes_;
    std::unordered_map<GroupId, std::shared_ptr<CrawlContext>> crawls_;
    std::unordered_map<GroupId, std::vector<store::UrlLease>>
        being_loaded_;  // crawls, and what waits for them
    std::unordered_map<std::string, std::vector<HostId>> waiting_for_robots_;  // by key
    std::deque<HostId> to_look_at_;
    using Timer = std::pair<Timestamp, HostId>;
    std::priority_queue<Timer, std::vector<Timer>, std::greater<>> timers_;
    std::size_t on_the_wire_ = 0;
    std::size_t waiting_ = 0;
    std::size_t slow_waiting_ =
        0;  // of crawls with a delay, which wait for themselves: bounded by their owners' limits
};

}  // namespace quarry::work
