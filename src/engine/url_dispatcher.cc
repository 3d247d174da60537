#include "engine/url_dispatcher.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "crawl/url_identity.h"
#include "fetch/http_time.h"
#include "store/owner_quota.h"
#include "work/page/read_document.h"
#include "work/retry.h"

namespace quarry::work {

void UrlsUnderWay::begin(JobId id, const std::string& url) {
    state_.with([&](State& state) { state.entries[id] = {url, ++state.started}; });
}

void UrlsUnderWay::end(JobId id) {
    state_.with([&](State& state) { state.entries.erase(id); });
}

std::vector<std::string> UrlsUnderWay::longest(std::size_t limit) {
    std::vector<Entry> entries;
    state_.with([&](State& state) {
        for (const auto& [id, entry] : state.entries) entries.push_back(entry);
    });
    std::ranges::sort(entries, {}, &Entry::order);
    std::vector<std::string> urls;
    for (Entry& entry : entries) {
        if (urls.size() == limit) break;
        urls.push_back(std::move(entry.url));
    }
    return urls;
}

namespace {

// Enough that a fast host never waits for the store, few enough that a restart repeats little.
constexpr std::size_t enough_of_a_host = 128;
constexpr std::size_t enough_of_a_slow_host = 4;
constexpr std::size_t most_in_all = 1'024;
// For each connection: what one worker has, others with idle connections have not.
constexpr std::size_t enough_of_a_connection = 8;
// Above this, hosts that have nothing to do are forgotten.
constexpr std::size_t many_hosts = 2 * most_in_all;

crawl::Observation observe(const Result<Page>& page, Timestamp now, std::chrono::milliseconds latency) {
    using Failure = crawl::Observation::Failure;
    crawl::Observation seen{.latency = latency};
    if (!page) {
        const ErrorCode code = page.error().code;
        if (code == ErrorCode::timeout) seen.failure = Failure::timeout;
        if (code == ErrorCode::unavailable) seen.failure = Failure::connection;
        return seen;
    }
    seen.status = page->status;
    if (const auto wait = fetch::retry_after(page->headers, std::chrono::floor<std::chrono::seconds>(now))) {
        seen.retry_after = *wait;
    }
    return seen;
}

bool asks_for_patience(const crawl::Observation& seen) {
    return seen.status == 429 || seen.status == 503 || seen.retry_after.has_value();
}

// A store that cannot be read just now has said it before.
void ask_quota(const std::string& owner, store::StorageLooks& storage, store::Reader& reader, Timestamp now,
               EngineMailbox& mailbox) {
    const auto left = store::pages_left(reader, owner, now);
    if (!left) return;
    mailbox.post(QuotaRead{
        owner, {.pages_left = *left, .is_storage_used_up = storage.is_used_up(reader, owner, now)}});
}

// Step by step, so that the store_tasks of others come in between. What cannot be read is done without: near
// duplicates of what came before are merely not marked.
void recall(StoreTasks& store_tasks, std::shared_ptr<EngineMailbox> mailbox,
            std::shared_ptr<CrawlContext> crawl, std::shared_ptr<CrawlContext::Recalled> recalled,
            store::Reader& reader) {
    const auto more = crawl->recall_some(reader, *recalled);
    if (!more || !*more || store_tasks.is_finishing()) {
        const GroupId group = crawl->id;
        mailbox->post(CrawlLoaded{group, std::move(crawl)});
        return;
    }
    store_tasks.run([&store_tasks, mailbox = std::move(mailbox), crawl = std::move(crawl),
                     recalled = std::move(recalled)](store::Reader& next_reader) mutable {
        recall(store_tasks, std::move(mailbox), std::move(crawl), std::move(recalled), next_reader);
    });
}

}  // namespace

UrlDispatcher::UrlDispatcher(DispatcherParts parts)
    : parts_(std::move(parts)),
      robots_(parts_.fetcher, [mailbox = parts_.mailbox](RobotsCache::Answer answer) {
          mailbox->post(RobotsArrived{std::move(answer)});
      }) {}

void UrlDispatcher::add(std::vector<store::UrlLease> urls, const std::vector<HostRule>& rules) {
    for (store::UrlLease& lease : urls) {
        HostQueue& lane = lane_of(lease);
        const auto rule = std::ranges::find(rules, lane.name, &HostRule::host);
        if (rule != rules.end()) {
            lane.pace.with([&](crawl::SharedPace& pace) { pace.restore(*rule, parts_.store.now()); });
        }
        const GroupId group = lease.group;
        if (const auto crawl = crawls_.find(group); crawl != crawls_.end()) {
            add(std::move(lease), crawl->second);
        } else {
            if (!being_loaded_.contains(group)) load(group);
            being_loaded_[group].push_back(std::move(lease));
            ++waiting_;
        }
    }
}

void UrlDispatcher::add(store::UrlLease lease, std::shared_ptr<CrawlContext> crawl) {
    HostQueue& lane = lane_of(lease);
    lane.obey(*crawl, std::nullopt);
    ++waiting_of(*crawl);
    lane.add({std::move(lease), std::move(crawl)});
    look_at(lane);
}

// One that goes on after an interruption has met many pages already. Others need not wait while they are
// read.
void UrlDispatcher::load(GroupId group) {
    parts_.store_tasks.run([group, &store_tasks = parts_.store_tasks, defaults = parts_.defaults,
                            mailbox = parts_.mailbox, storage = storage_,
                            now = parts_.store.now()](store::Reader& reader) {
        auto loaded = CrawlContext::load(group, reader, defaults);
        if (!loaded) return mailbox->post(CrawlLoaded{group, std::move(loaded)});
        ask_quota((*loaded)->options.owner, *storage, reader, now, *mailbox);
        recall(store_tasks, mailbox, *std::move(loaded), std::make_shared<CrawlContext::Recalled>(), reader);
    });
}

void UrlDispatcher::crawl_loaded(CrawlLoaded loaded) {
    const auto waiting = being_loaded_.extract(loaded.group);
    if (!waiting) return;
    waiting_ -= waiting.mapped().size();
    if (loaded.crawl) {
        crawls_[loaded.group] = *loaded.crawl;
        for (store::UrlLease& lease : waiting.mapped()) add(std::move(lease), *loaded.crawl);
        return;
    }
    const Error& error = loaded.crawl.error();
    if (is_trouble_of_store(error)) {
        parts_.mailbox->post(StoreFailed{error});
    } else {
        // Its options are of a newer program, or damaged: nobody else could go on with it either.
        parts_.mailbox->post(CrawlUnhealthy{loaded.group, error.message});
    }
}

HostQueue& UrlDispatcher::lane_of(const store::UrlLease& lease) {
    if (lanes_.size() >= many_hosts && !lanes_.contains(lease.host)) forget_quiet_hosts();
    auto& lane = lanes_[lease.host];
    if (!lane) lane = std::make_shared<HostQueue>(lease.host, lease.host_name);
    return *lane;
}

// A crawl may go to a million hosts. What such a host asked for is in the store; its latency is learnt anew.
void UrlDispatcher::forget_quiet_hosts() {
    const Timestamp now = parts_.store.now();
    std::erase_if(lanes_, [&](const auto& entry) {
        HostQueue& lane = *entry.second;
        const bool is_quiet =
            lane.waiting() == 0 && !lane.is_queued &&
            lane.pace.with([&](const crawl::SharedPace& pace) { return pace.is_at_rest(now); });
        return is_quiet;
    });
}

void UrlDispatcher::look_at(HostQueue& lane) {
    if (lane.is_queued) return;
    lane.is_queued = true;
    to_look_at_.push_back(lane.id);
}

void UrlDispatcher::fetch_ended(const FetchEnded& ended) {
    --on_the_wire_;
    // A crawl that was at its own limit may go on at any of its hosts.
    const bool was_at_limit = !ended.crawl->may_start_another();
    --ended.crawl->running;
    if (was_at_limit && lanes_.size() > 1) {
        for (const auto& [id, lane] : lanes_) look_at(*lane);
    }
    if (const auto lane = lanes_.find(ended.host); lane != lanes_.end()) look_at(*lane->second);
}

void UrlDispatcher::slow_stage_ended() {
    for (const auto& [id, lane] : lanes_)
        if (lane->waiting() > 0) look_at(*lane);
}

void UrlDispatcher::robots_arrived(RobotsCache::Answer answer) {
    const auto waiting = waiting_for_robots_.extract(answer.key);
    robots_.take(std::move(answer), parts_.store.now());
    if (waiting.empty()) return;
    for (const HostId host : waiting.mapped()) {
        if (const auto lane = lanes_.find(host); lane != lanes_.end()) look_at(*lane->second);
    }
}

void UrlDispatcher::group_changed(GroupId group) {
    if (!crawls_.contains(group) && !being_loaded_.contains(group)) return;
    parts_.store_tasks.run([group, mailbox = parts_.mailbox](store::Reader& reader) {
        const auto found = reader.group(group);
        const bool is_running = found && found->state == JobState::running;
        mailbox->post(GroupSeen{group, is_running, !found || found->is_over()});
    });
}

void UrlDispatcher::group_seen(const GroupSeen& seen) {
    if (seen.is_running) return;
    std::vector<store::LeaseRef> removed;
    for (const auto& [id, lane] : lanes_)
        for (const WaitingUrl& url : lane->remove(seen.group)) {
            --waiting_of(*url.crawl);
            removed.push_back(url.lease.lease);
        }
    if (const auto waiting = being_loaded_.find(seen.group); waiting != being_loaded_.end())
        for (const store::UrlLease& lease : std::exchange(waiting->second, {})) {
            --waiting_;
            removed.push_back(lease.lease);
        }
    release(std::move(removed));
    if (!seen.is_over) return;
    crawls_.erase(seen.group);
    being_loaded_.erase(seen.group);
}

void UrlDispatcher::start_due() {
    const Timestamp now = parts_.store.now();
    while (!timers_.empty() && timers_.top().first <= now) {
        if (const auto lane = lanes_.find(timers_.top().second); lane != lanes_.end()) {
            if (lane->second->wakes_at == timers_.top().first) lane->second->wakes_at.reset();
            look_at(*lane->second);
        }
        timers_.pop();
    }
    while (!to_look_at_.empty() && on_the_wire_ < parts_.max_fetches && parts_.pages.has_room()) {
        HostQueue& lane = *lanes_.at(to_look_at_.front());
        to_look_at_.pop_front();
        lane.is_queued = false;
        start_lane(lane);
    }
}

void UrlDispatcher::start_lane(HostQueue& lane) {
    while (on_the_wire_ < parts_.max_fetches) {
        const Timestamp now = parts_.store.now();
        if (lane.waiting() == 0) return;
        auto url = lane.take_next(now);
        if (!url) {
            wake_later(lane, lane.next_start(now));
            return;
        }
        std::size_t& waiting = waiting_of(*url->crawl);
        --waiting;
        if (start(lane, *url) == Start::not_now) {
            lane.put_back(*std::move(url));
            ++waiting;
            return;
        }
    }
    look_at(lane);
}

void UrlDispatcher::wake_later(HostQueue& lane, std::optional<Timestamp> when) {
    if (!when || (lane.wakes_at && *lane.wakes_at <= *when)) return;
    lane.wakes_at = when;
    timers_.push({*when, lane.id});
}

UrlDispatcher::Start UrlDispatcher::start(HostQueue& lane, WaitingUrl& waiting) {
    auto address = url::Url::parse(waiting.lease.url);
    if (!address) {
        finish_without_fetch(std::move(waiting),
                             {.end = store::Failed{address.error().message, address.error().code}});
        return Start::done_without;
    }
    if (!waiting.crawl->options.ignore_robots) {
        const RobotsCache::Rules* rules = rules_for(*address, waiting, lane);
        if (!rules) return Start::not_now;
        if (!rules->error.empty()) {
            const Backoff& backoff = rules->has_answered ? robots_backoff : fetch_backoff;
            const Timestamp now = parts_.store.now();
            const Timestamp again = next_attempt(backoff, waiting.lease.attempt, now);
            const std::string reason = "robots.txt cannot be had: " + rules->error;
            const bool may_wait = rules->is_asked_too_often && waiting.crawl->options.kind != "scrape" &&
                                  waiting.crawl->patience.has_left(waiting.lease.lease.id, now);
            store::Outcome outcome{.end = store::Retry{reason, again}};
            if (may_wait) outcome.end = store::Snooze{again, reason};
            finish_without_fetch(std::move(waiting), std::move(outcome));
            return Start::done_without;
        }
        const auto verdict = rules->robots.check(waiting.crawl->options.robots_agent, *address);
        if (!verdict.allowed) {
            finish_without_fetch(std::move(waiting),
                                 {.end = store::Skipped{SkipReason::robots, "robots.txt: " + verdict.rule}});
            return Start::done_without;
        }
    }
    const std::string& owner = waiting.crawl->options.owner;
    const Timestamp now = parts_.store.now();
    if (quotas_.is_due(owner, now)) {
        parts_.store_tasks.run(
            [owner, now, storage = storage_, mailbox = parts_.mailbox](store::Reader& reader) {
                ask_quota(owner, *storage, reader, now, *mailbox);
            });
    }
    const auto taken = quotas_.take(owner);
    if (!taken) {
        const bool is_full = taken.error() == OwnerQuotas::UsedUp::storage;
        finish_without_fetch(
            std::move(waiting),
            {.end = store::Skipped{SkipReason::limit,
                                   is_full ? "the storage is used up" : "the pages of 30 days are used up"}});
        return Start::done_without;
    }
    fetch(lane, std::move(waiting), *std::move(address), *taken);
    return Start::started;
}

const RobotsCache::Rules* UrlDispatcher::rules_for(const url::Url& url, WaitingUrl& waiting,
                                                   HostQueue& lane) {
    CrawlContext& crawl = *waiting.crawl;
    std::vector<Header> headers = crawl.headers_for(url);
    const std::string key = RobotsCache::key_of(url, crawl.policy, headers);
    const RobotsCache::Rules* rules = robots_.find(key, parts_.store.now(), [&] {
        return RobotsCache::Question{.url = url, .policy = crawl.policy, .headers = headers};
    });
    if (!rules) {
        waiting_for_robots_[key].push_back(lane.id);
        return nullptr;
    }
    if (const auto delay = rules->robots.crawl_delay(crawl.options.robots_agent)) {
        lane.obey(crawl, delay);
    }
    return rules;
}

void UrlDispatcher::fetch(HostQueue& lane, WaitingUrl waiting, url::Url address, OwnerQuotas::Taken taken) {
    const Timestamp started = parts_.store.now();
    lane.pace.with([&](crawl::SharedPace& pace) { pace.started(waiting.lease.group, started); });
    ++on_the_wire_;
    ++waiting.crawl->running;
    parts_.under_way.begin(waiting.lease.lease.id, waiting.lease.url);
    const auto rules = crawl::identity_rules(waiting.crawl->options);
    fetch::FetchRequest request{.url = address,
                                .owner = waiting.crawl->owner,
                                .headers = request_headers(waiting.lease, *waiting.crawl, address),
                                .policy = waiting.crawl->policy,
                                .wants_content = may_hold_text,
                                // Only to itself: a server that sets a cookie and asks again.
                                .may_follow =
                                    [rules, key = waiting.lease.key](const url::Url& next) {
                                        return next.is_http() && crawl::url_key(next, rules) == key;
                                    },
                                .retry = fetch::Retry::none,
                                .stop = parts_.abort};
    auto shared_lane = lanes_.at(lane.id);
    // Once the message is out this object may be gone; the mailbox is not.
    auto ended = [this, started, taken = std::move(taken), mailbox = parts_.mailbox,
                  lane = std::move(shared_lane), waiting = std::move(waiting)](Result<Page> page) mutable {
        const Timestamp now = parts_.store.now();
        FetchEnded message{lane->id, waiting.crawl};
        FetchedUrl fetched{.lease = std::move(waiting.lease), .crawl = std::move(waiting.crawl)};
        fetched.host_rule = lane->pace.with([&](crawl::SharedPace& pace) {
            const crawl::Observation seen = observe(page, now, now - started);
            pace.ended(message.crawl->id, now, seen);
            // What a host asks for outlives this process.
            return asks_for_patience(seen) ? std::optional(pace.to_rule(lane->name)) : std::nullopt;
        });
        if (!page || page->status >= 300) taken.give_back();
        fetched.page = std::move(page);
        fetched.fetch_time = now - started;
        parts_.under_way.end(fetched.lease.lease.id);
        parts_.pages.add(std::move(fetched));
        mailbox->post(std::move(message));
    };
    parts_.fetcher.fetch(std::move(request), std::move(ended));
}

void UrlDispatcher::finish_without_fetch(WaitingUrl url, store::Outcome outcome) {
    // The store's queue may be full.
    parts_.store_tasks.run([&store = parts_.store, mailbox = parts_.mailbox, lease = url.lease.lease,
                            outcome = std::move(outcome)](store::Reader&) mutable {
        std::vector<store::Finished> finished;
        finished.push_back({lease, std::move(outcome)});
        store.finish(std::move(finished), [mailbox](auto verdicts) {
            if (!verdicts) mailbox->post(StoreFailed{verdicts.error()});
        });
    });
}

std::optional<Timestamp> UrlDispatcher::next_due() const {
    if (timers_.empty()) return std::nullopt;
    return timers_.top().first;
}

void UrlDispatcher::describe_room(store::Demand& demand) const {
    const std::size_t enough_in_all = std::min(most_in_all, enough_of_a_connection * parts_.max_fetches);
    // What ended without a fetch is on its way to the store, which may be slower than this is.
    const std::size_t held = waiting_ + parts_.store_tasks.open();
    demand.urls = held >= enough_in_all / 2 ? 0 : static_cast<int>(enough_in_all - held);
    demand.urls_per_host = static_cast<int>(enough_of_a_host);
    if (demand.urls == 0) return;
    std::size_t served = 0;       // hosts that always have something on the wire
    std::size_t most_slowly = 0;  // of a host: what waits for itself takes no room from others
    for (const auto& [id, lane] : lanes_) {
        const bool has_delay = lane->has_delay();
        const std::size_t slowly = slow_waiting_ > 0 ? lane->waiting_slowly() : 0;
        const std::size_t waiting = has_delay ? lane->waiting() : lane->waiting() - slowly;
        const std::size_t enough = has_delay ? enough_of_a_slow_host : enough_of_a_host / 2;
        if (waiting >= enough) demand.saturated.push_back(id);
        served += waiting > 0 && !has_delay ? 1 : 0;
        if (slowly == 0) continue;
        most_slowly = std::max(most_slowly, slowly);
        for (const GroupId crawl : lane->slow_crawls_with(enough_of_a_slow_host))
            demand.saturated_lanes.emplace_back(crawl, id);
    }
    demand.urls_per_host += static_cast<int>(most_slowly);
    demand.new_hosts = static_cast<int>(parts_.max_fetches - std::min(served, parts_.max_fetches));
}

void UrlDispatcher::release_waiting() {
    std::vector<store::LeaseRef> waiting;
    for (const auto& [id, lane] : lanes_)
        for (const WaitingUrl& url : lane->remove_all()) waiting.push_back(url.lease.lease);
    for (const auto& [group, leases] : being_loaded_)
        for (const store::UrlLease& lease : leases) waiting.push_back(lease.lease);
    being_loaded_.clear();
    release(std::move(waiting));
    waiting_ = slow_waiting_ = 0;
}

void UrlDispatcher::release(std::vector<store::LeaseRef> leases) {
    if (leases.empty()) return;
    parts_.store_tasks.run([&store = parts_.store, mailbox = parts_.mailbox,
                            leases = std::move(leases)](store::Reader&) mutable {
        if (auto released = store.release(std::move(leases)); !released)
            mailbox->post(StoreFailed{released.error()});
    });
}

}  // namespace quarry::work
