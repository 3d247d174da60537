#include "store/redis/store.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "base/cron.h"
#include "base/guarded.h"
#include "store/known_keys.h"
#include "store/records.h"
#include "store/redis/both_stores.h"
#include "store/redis/encoding.h"
#include "store/redis/finisher.h"
#include "store/redis/link.h"
#include "store/redis/news.h"
#include "store/redis/scheduling.h"

namespace quarry::store {

namespace redis {

namespace {

// A worker of this process: how the content store knows it, and whether it may hold leases that it knows
// nothing of.
struct LocalWorker {
    WorkerId in_content{};
    std::int64_t calls = 0;
    std::int64_t lost_call = 0;  // whose answer was lost; 0 for none
};

std::optional<Timestamp> earlier(std::optional<Timestamp> left, std::optional<Timestamp> right) {
    if (!left || !right) return left ? left : right;
    return std::min(*left, *right);
}

class RedisStore final : public Store {
public:
    explicit RedisStore(RedisStoreConfig config)
        : content_(std::move(config.content)),
          link_({.url = config.url, .prefix = config.prefix, .limits = config.limits, .clock = config.clock}),
          former_(*content_),
          news_({.url = config.url}, config.prefix + "changed"),
          finisher_(std::make_unique<Finisher>(
              Finisher::Parts{.link = link_,
                              .content = *content_,
                              .take_begun = [this] { return take_begun(); },
                              .on_answer = [this](const ScriptAnswer& answer) { spread(answer); }})) {
        content_events_ =
            content_->observe([this](std::span<const Event> events) { news_.tell(events, true); });
    }
    ~RedisStore() override;

    Result<std::vector<Added>> add(std::vector<NewJob> jobs) override;
    Result<GroupId> add_group(NewGroup group, std::vector<NewJob> jobs,
                              std::vector<FoundUrl> seeds) override {
        return GroupId(TRY(redis::add_group(scheduling(), {group, jobs, seeds}, std::nullopt)));
    }

    Result<WorkerId> register_worker(std::string name) override;
    Result<Leased> lease(const Demand& demand) override;
    void begin(LeaseRef lease) override {
        if (is_of_content(lease.id)) return content_->begin(lease);
        begun_.with([&](auto& begun) { begun[number(lease.id)] = number(lease.token); });
    }
    Result<std::vector<JobId>> beat(WorkerId worker, std::span<const Progress> progress) override;
    Result<void> release(std::vector<LeaseRef> leases) override;
    Result<void> retire_worker(WorkerId worker) override;
    using Store::finish;
    void finish(std::vector<Finished> finished, FinishCallback callback, CommitMode mode) override;

    Result<void> cancel(GroupId group) override { return change_group("cancel", group); }
    Result<void> pause(GroupId group) override { return change_group("pause", group); }
    Result<void> resume(GroupId group) override { return change_group("resume", group); }
    Result<void> fail_group(GroupId group, std::string reason) override {
        return change_group("fail", group, Message().add(reason));
    }
    Result<void> reprioritise(GroupId group, int priority) override {
        return change_group("reprioritise", group, Message().add(priority));
    }

    Result<std::int64_t> cancel(const JobFilter& filter) override {
        return change_all({BulkChange::cancel, filter},
                          [](Store& store, const JobFilter& some) { return store.cancel(some); });
    }
    Result<std::int64_t> pause(const JobFilter& filter) override {
        return change_all({BulkChange::pause, filter},
                          [](Store& store, const JobFilter& some) { return store.pause(some); });
    }
    Result<std::int64_t> resume(const JobFilter& filter) override {
        return change_all({BulkChange::resume, filter},
                          [](Store& store, const JobFilter& some) { return store.resume(some); });
    }
    Result<std::int64_t> retry(const JobFilter& filter) override {
        return change_all({BulkChange::retry, filter},
                          [](Store& store, const JobFilter& some) { return store.retry(some); });
    }
    Result<std::int64_t> hasten(const JobFilter& filter) override { return woken(content_->hasten(filter)); }
    Result<std::int64_t> clear(const JobFilter& filter) override {
        return change_all({BulkChange::clear, filter},
                          [](Store& store, const JobFilter& some) { return store.clear(some); });
    }
    Result<std::int64_t> reprioritise(const JobFilter& filter, int priority) override {
        return change_all(
            {BulkChange::reprioritise, filter, priority},
            [&](Store& store, const JobFilter& some) { return store.reprioritise(some, priority); });
    }

    // What concerns pages alone is the content store's.
    Result<PagesWritten> write_pages(PageBatch batch) override {
        return woken(content_->write_pages(std::move(batch)));
    }
    Result<std::vector<Visited>> keep_visits(KeptCrawl crawl, std::vector<Visit> visits) override {
        return woken(content_->keep_visits(std::move(crawl), std::move(visits)));
    }
    Result<std::vector<std::optional<FormerPage>>> former_pages(const KeptCrawl& crawl,
                                                                std::span<const UrlKey> keys) override {
        return content_->former_pages(crawl, keys);
    }
    Result<std::int64_t> forget(const PageFilter& filter) override { return woken(content_->forget(filter)); }
    Result<std::int64_t> index_again(const PageFilter& filter, IndexAgain which) override;
    Result<void> set_collection(const Collection& collection) override {
        return content_->set_collection(collection);
    }
    Result<bool> remove_collection(const std::string& name) override {
        return woken(content_->remove_collection(name));
    }
    Result<void> add_session(const Session& session) override { return content_->add_session(session); }
    Result<std::int64_t> add_key(const ApiKey& key) override { return content_->add_key(key); }
    Result<bool> revoke_key(std::int64_t id) override { return content_->revoke_key(id); }
    Result<void> add_requests(std::span<const RequestRecord> requests) override {
        return content_->add_requests(requests);
    }
    Result<void> backup(const std::string& file) override { return content_->backup(file); }

    Result<void> set_limits(const std::string& owner, const OwnerLimits& limits) override;
    Result<void> set_schedule(Schedule schedule) override {
        return redis::set_schedule(scheduling(), schedule);
    }
    Result<bool> remove_schedule(const std::string& name) override {
        return redis::remove_schedule(scheduling(), name);
    }

    Result<void> erase(GroupId group) override;
    Result<Swept> sweep(const Retention& retention, std::chrono::milliseconds budget) override;

    std::uint64_t wait_for_change(std::uint64_t seen, Timestamp until, std::stop_token stop) override {
        return news_.wait(seen, until - now(), std::move(stop));
    }
    std::shared_ptr<void> observe(Observer observer) override { return news_.observe(std::move(observer)); }
    bool knows(GroupId group, const UrlKey& key) const override { return known_.contains(group, key); }
    bool reconnects() const override { return true; }
    Result<void> reach() override {
        TRY(link_.pool().borrow());
        return content_->reach();
    }
    Timestamp now() const override { return link_.now(); }
    std::uint64_t salt() const override { return content_->salt(); }

private:
    Result<ScriptAnswer> call(std::string_view script, const Message& message, bool* was_lost = nullptr) {
        auto answer = link_.call(script, message, was_lost);
        if (answer) spread(*answer);
        return answer;
    }
    void spread(const ScriptAnswer& answer);
    Result<void> end_workers(std::span<const std::int64_t> workers);
    Scheduling scheduling() {
        return {[this](std::string_view script, const Message& message) { return call(script, message); },
                [this] { return now(); }};
    }
    template <typename T>
    T woken(T result) {
        if (result) news_.tell({}, true);
        return result;
    }
    std::vector<std::int64_t> take_begun() {
        std::vector<std::int64_t> pairs;
        for (const auto& [id, token] : begun_.with([](auto& begun) { return std::exchange(begun, {}); })) {
            pairs.push_back(id);
            pairs.push_back(token);
        }
        return pairs;
    }
    static void add_numbers(Message& message, std::span<const std::int64_t> numbers) {
        message.list(numbers.size());
        for (const std::int64_t value : numbers) message.add(value);
    }
    Result<void> change_group(std::string_view what, GroupId group,
                              const Message& argument = Message().add(0));
    template <typename OfContent>
    Result<std::int64_t> change_all(const BulkRequest& request, OfContent of_content);
    Result<WorkerId> in_content(WorkerId worker);
    Message demand_message(const Demand& demand, std::int64_t& this_call);
    Result<void> lease_from_redis(const Demand& demand, Leased& leased);
    Result<bool> lease_once(const Demand& demand, Leased& leased);

    std::unique_ptr<Store> content_;
    RedisLink link_;
    FormerUrls former_;
    KnownKeys known_;
    std::mutex known_mutex_;                                         // one thread adds at a time
    Guarded<std::unordered_map<std::int64_t, std::int64_t>> begun_;  // tokens by id, not told yet
    Guarded<std::map<std::int64_t, LocalWorker>> workers_;
    News news_;
    std::shared_ptr<void> content_events_;
    std::unique_ptr<Finisher> finisher_;  // the last: its thread uses all of the above
};

RedisStore::~RedisStore() {
    finisher_.reset();  // what was handed over is still taken
    std::vector<std::int64_t> workers;
    workers_.with([&](auto& all) {
        for (const auto& [id, worker] : all) workers.push_back(id);
    });
    // Leases end with the store, as those of the embedded one do.
    (void)end_workers(workers);
    content_events_.reset();
    content_.reset();  // its thread may be telling something still
}

Result<void> RedisStore::end_workers(std::span<const std::int64_t> workers) {
    if (workers.empty()) return {};
    const std::vector<std::int64_t> begun = take_begun();
    Message message;
    message.list(2);
    add_numbers(message, workers);
    add_numbers(message, begun);
    // What they held goes back in steps.
    while (!TRY(call("retire", message)).result().is_true()) {
    }
    return {};
}

Result<void> RedisStore::retire_worker(WorkerId worker) {
    const auto of_content = in_content(worker);
    if (!of_content) return {};
    const std::int64_t id = number(worker);
    TRY(end_workers({&id, 1}));
    TRY(content_->retire_worker(*of_content));
    workers_.with([&](auto& workers) { workers.erase(id); });
    return {};
}

void RedisStore::spread(const ScriptAnswer& answer) {
    if (!answer.admitted.empty()) {
        std::lock_guard lock(known_mutex_);
        for (const auto& [group, key] : answer.admitted) known_.add(group, key);
    }
    if (answer.wakes || !answer.events.empty()) news_.tell(answer.events, answer.wakes);
}

Result<std::vector<Added>> RedisStore::add(std::vector<NewJob> jobs) {
    return redis::add_jobs(scheduling(), jobs, std::nullopt);
}

Result<WorkerId> RedisStore::register_worker(std::string name) {
    const WorkerId of_content = TRY(content_->register_worker(name));
    const std::int64_t id = TRY(call("register_worker", Message().add(name))).result().integer();
    workers_.with([&](auto& workers) { workers[id] = {.in_content = of_content}; });
    return WorkerId(id);
}

Result<WorkerId> RedisStore::in_content(WorkerId worker) {
    const auto found = workers_.with([&](const auto& workers) -> std::optional<WorkerId> {
        const auto entry = workers.find(number(worker));
        if (entry == workers.end()) return std::nullopt;
        return entry->second.in_content;
    });
    if (!found) return fail(ErrorCode::not_found, "unknown worker");
    return *found;
}

Message RedisStore::demand_message(const Demand& demand, std::int64_t& this_call) {
    std::int64_t lost_call = 0;
    workers_.with([&](auto& workers) {
        LocalWorker& worker = workers[number(demand.worker)];
        this_call = ++worker.calls;
        lost_call = worker.lost_call;
    });
    Message message;
    message.list(10).add(number(demand.worker)).list(demand.kinds.size() * 2);
    for (const Demand::Kind& kind : demand.kinds) message.add(kind.kind).add(kind.slots);
    message.add(demand.urls).add(demand.urls_per_host).list(demand.saturated.size());
    for (const HostId host : demand.saturated) message.add(number(host));
    add_numbers(message, take_begun());
    message.add(this_call).add(lost_call).add(demand.new_hosts).list(demand.saturated_lanes.size() * 2);
    for (const auto& [group, host] : demand.saturated_lanes) message.add(number(group)).add(number(host));
    return message;
}

// True if schedules were due: their jobs are there now.
Result<bool> RedisStore::lease_once(const Demand& demand, Leased& leased) {
    std::int64_t this_call = 0;
    bool was_lost = false;
    const auto answer = call("lease", demand_message(demand, this_call), &was_lost);
    workers_.with([&](auto& workers) {
        LocalWorker& worker = workers[number(demand.worker)];
        if (was_lost) worker.lost_call = this_call;
        if (answer) worker.lost_call = 0;
    });
    if (!answer) return std::unexpected(answer.error());
    const db::RedisValue result = answer->result();
    for (std::size_t index = 0; index < result[0].size(); ++index)
        leased.jobs.push_back(job_lease_of(result[0][index]));
    TRY(former_.add_urls(result[1], link_.config().limits.url_attempts, leased.urls));
    for (std::size_t index = 0; index < result[2].size(); ++index)
        leased.hosts.push_back(host_rule_of(result[2][index]));
    leased.next_due = time_of(result[3]);
    if (result[4].size() == 0) return false;
    return run_schedules(scheduling());
}

Result<void> RedisStore::lease_from_redis(const Demand& demand, Leased& leased) {
    if (!TRY(lease_once(demand, leased))) return {};
    Demand rest = demand;
    for (Demand::Kind& kind : rest.kinds) {
        kind.slots -= static_cast<int>(
            std::ranges::count(leased.jobs, kind.kind, [](const JobLease& job) { return job.kind; }));
    }
    rest.urls -= static_cast<int>(leased.urls.size());
    TRY(lease_once(rest, leased));
    return {};
}

Result<Leased> RedisStore::lease(const Demand& demand) {
    const WorkerId of_content = TRY(in_content(demand.worker));
    Leased leased;
    if (!demand.kinds.empty() || demand.urls > 0) TRY(lease_from_redis(demand, leased));
    if (demand.changes == 0) return leased;
    Leased changes = TRY(content_->lease(
        {.worker = of_content, .changes = demand.changes, .change_collection = demand.change_collection}));
    leased.changes = std::move(changes.changes);
    leased.next_due = earlier(leased.next_due, changes.next_due);
    return leased;
}

Result<std::vector<JobId>> RedisStore::beat(WorkerId worker, std::span<const Progress> progress) {
    const WorkerId of_content = TRY(in_content(worker));
    std::vector<Progress> here, there;
    for (const Progress& entry : progress) (is_of_content(entry.lease.id) ? there : here).push_back(entry);
    Message message;
    message.list(3).add(number(worker));
    add_numbers(message, take_begun());
    message.list(here.size());
    for (const Progress& entry : here)
        message.list(3).add(number(entry.lease.id)).add(number(entry.lease.token)).add(entry.percent);
    const ScriptAnswer answer = TRY(call("beat", message));
    std::vector<JobId> lost = TRY(content_->beat(of_content, there));
    for (std::size_t index = 0; index < answer.result().size(); ++index)
        lost.push_back(JobId(answer.result()[index].integer()));
    std::ranges::sort(lost);
    const auto repeated = std::ranges::unique(lost);
    lost.erase(repeated.begin(), repeated.end());
    return lost;
}

Result<void> RedisStore::release(std::vector<LeaseRef> refs) {
    const auto there =
        std::ranges::partition(refs, [](const LeaseRef& ref) { return !is_of_content(ref.id); });
    if (!there.empty()) TRY(woken(content_->release({there.begin(), there.end()})));
    const std::span here(refs.begin(), there.begin());
    if (here.empty()) return {};
    Message message;
    message.list(here.size() * 2);
    for (const LeaseRef& ref : here) message.add(number(ref.id)).add(number(ref.token));
    TRY(call("release", message));
    return {};
}

void RedisStore::finish(std::vector<Finished> finished, FinishCallback callback, CommitMode mode) {
    // That it had begun need not be told of what ends now.
    begun_.with([&](auto& begun) {
        for (const Finished& one : finished) begun.erase(number(one.lease.id));
    });
    const auto is_there = [](const Finished& one) { return is_of_content(one.lease.id); };
    if (std::ranges::none_of(finished, is_there))
        return finisher_->submit(std::move(finished), std::move(callback), mode);
    if (std::ranges::all_of(finished, is_there))
        return content_->finish(std::move(finished), std::move(callback), mode);
    finish_both({*content_, *finisher_}, std::move(finished), std::move(callback), mode);
}

// Over at once; what is left of its jobs is ended in steps.
Result<void> RedisStore::change_group(std::string_view what, GroupId group, const Message& argument) {
    const auto message = [&](std::string_view step) {
        return Message().list(3).add(step).add(number(group)).append(argument);
    };
    ScriptAnswer answer = TRY(call("change_group", message(what)));
    while (!answer.result().is_true()) answer = TRY(call("change_group", message("go_on")));
    return {};
}

template <typename OfContent>
Result<std::int64_t> RedisStore::change_all(const BulkRequest& request, OfContent of_content) {
    const SplitFilter split = split_filter(request.filter);
    std::int64_t changed = 0;
    if (split.of_content) changed += TRY(woken(of_content(*content_, *split.of_content)));
    if (!split.of_redis) return changed;
    BulkRequest here = request;
    here.filter = *split.of_redis;
    const BulkChanged answer =
        TRY(change_jobs([this](const Message& message) { return call("change_jobs", message); }, here));
    if (answer.known_is_forgotten) {
        std::lock_guard lock(known_mutex_);
        known_.clear();
    }
    return changed + answer.changed;
}

Result<std::int64_t> RedisStore::index_again(const PageFilter& filter, IndexAgain which) {
    if (filter.group) {
        TRY(change_group("index", *filter.group));
        KeptCrawl crawl = TRY(kept_crawl(link_, *filter.group));
        crawl.ended.reset();  // only when it is removed
        TRY(content_->keep_visits(std::move(crawl), {}));
    }
    return woken(content_->index_again(filter, which));
}

Result<void> RedisStore::set_limits(const std::string& owner, const OwnerLimits& limits) {
    Message message;
    message.list(7).add(owner).add(limits.running_jobs).add(limits.running_groups).add(limits.open_jobs);
    message.add(limits.requests_per_minute).add(limits.pages_per_month).add(limits.stored_bytes);
    TRY(call("set_limits", message));
    return {};
}

Result<void> RedisStore::erase(GroupId group) {
    TRY(remove_group(link_, *content_, group));
    return content_->erase(group);
}

Result<Swept> RedisStore::sweep(const Retention& retention, std::chrono::milliseconds budget) {
    const auto end = std::chrono::steady_clock::now() + budget;
    const std::int64_t jobs = TRY(sweep_redis(link_, *content_, retention, end));
    // The rows of removed groups go with their pages.
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    Swept swept = TRY(content_->sweep(retention, std::max(left, std::chrono::milliseconds(10))));
    swept.jobs += jobs;
    return swept;
}

}  // namespace

}  // namespace redis

Result<std::unique_ptr<Store>> open_redis_store(RedisStoreConfig config) {
    db::RedisConnection connection = TRY(db::RedisConnection::open({.url = config.url}));
    for (std::string& warning : TRY(redis::check_durability(connection, config.allow_volatile))) {
        if (config.warn) config.warn(std::move(warning));
    }
    return std::make_unique<redis::RedisStore>(std::move(config));
}

}  // namespace quarry::store
