#include "store/postgres/store.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "base/guarded.h"
#include "base/observers.h"
#include "store/events.h"
#include "store/postgres/finisher.h"
#include "store/postgres/index_rebuild.h"
#include "store/postgres/notifier.h"
#include "store/postgres/partitions.h"
#include "store/postgres/schema/schema.h"
#include "store/postgres/tables/metrics.h"
#include "store/postgres/transactor.h"
#include "store/postgres/upkeep.h"
#include "store/postgres/writing/leasing.h"
#include "store/postgres/writing/operations.h"
#include "store/rows/columns.h"

namespace quarry::store {

namespace {

namespace pg = postgres;
using pg::Durability;
using pg::Ledger;

// Every call becomes a transaction; the operations themselves are in the files included above.
class PostgresStore final : public Store {
public:
    PostgresStore(const PostgresConfig& config, std::uint64_t salt, Timestamp now)
        : salt_(salt),
          transactor_(config.database, config.connections, config.limits, config.clock,
                      [this](std::span<const Event> events, const pg::News& news) { tell(events, news); }),
          notifier_(config.database,
                    [this](std::span<const Event> events, const pg::PutInLine& jobs) { hear(events, jobs); }),
          finisher_(transactor_,
                    [this](std::span<const Event> events, const pg::News& news) { tell(events, news); }),
          claimer_(transactor_, leadership_),
          partitions_(transactor_),
          // A test with its own clock also decides when maintenance runs.
          upkeep_(std::in_place, transactor_, leadership_, partitions_,
                  config.clock ? pg::Maintenance::when_asked : pg::Maintenance::by_itself),
          index_upkeep_(std::in_place, transactor_, leadership_, config.database,
                        config.clock ? pg::Maintenance::when_asked : pg::Maintenance::by_itself) {
        transactor_.set_clock(now);
        partitions_.make_coming();  // before the first job ends
    }

    ~PostgresStore() override;

    Result<std::vector<Added>> add(std::vector<NewJob> jobs) override {
        return transactor_.run<std::vector<Added>>(
            Durability::before, [&](Ledger& ledger) { return pg::add_jobs(ledger, jobs); },
            [&](db::PgBatch& batch) { pg::ask_before_adding(batch, transactor_.process(), jobs); });
    }
    Result<GroupId> add_group(NewGroup group, std::vector<NewJob> jobs,
                              std::vector<FoundUrl> seeds) override {
        const Durability durability =
            group.concurrency == Concurrency::unlimited ? Durability::later : Durability::before;
        return transactor_.run<GroupId>(
            durability, [&](Ledger& ledger) { return pg::add_group(ledger, group, jobs, seeds); });
    }

    Result<WorkerId> register_worker(std::string name) override;
    Result<Leased> lease(const Demand& demand) override { return claimer_.lease(demand); }
    void begin(LeaseRef lease) override { transactor_.process().begun.add(lease); }
    Result<std::vector<JobId>> beat(WorkerId worker, std::span<const Progress> progress) override {
        return soon<std::vector<JobId>>([&](Ledger& ledger) { return pg::beat(ledger, worker, progress); });
    }
    Result<void> release(std::vector<LeaseRef> leases) override {
        return soon<void>([&](Ledger& ledger) { return pg::release(ledger, leases); });
    }
    Result<void> retire_worker(WorkerId worker) override;
    using Store::finish;
    void finish(std::vector<Finished> finished, FinishCallback callback, CommitMode mode) override {
        // A lease that ends now needs no note that its handler had begun.
        std::vector<std::int64_t> tokens;
        for (const Finished& one : finished) tokens.push_back(number(one.lease.token));
        transactor_.process().begun.forget(tokens);
        finisher_.submit(std::move(finished), std::move(callback), mode);
    }

    Result<void> cancel(GroupId group) override {
        return change<void>([&](Ledger& ledger) { return pg::cancel_group(ledger, group); });
    }
    Result<void> pause(GroupId group) override {
        return change<void>([&](Ledger& ledger) { return pg::pause_group(ledger, group); });
    }
    Result<void> resume(GroupId group) override {
        return change<void>([&](Ledger& ledger) { return pg::resume_group(ledger, group); });
    }
    Result<void> fail_group(GroupId group, std::string reason) override {
        return change<void>([&](Ledger& ledger) { return pg::fail_group(ledger, group, reason); });
    }
    Result<void> reprioritise(GroupId group, int priority) override {
        return change<void>([&](Ledger& ledger) { return pg::reprioritise_group(ledger, group, priority); });
    }

    Result<std::int64_t> cancel(const JobFilter& filter) override {
        return change_all({.change = BulkChange::cancel, .filter = filter});
    }
    Result<std::int64_t> pause(const JobFilter& filter) override {
        return change_all({.change = BulkChange::pause, .filter = filter});
    }
    Result<std::int64_t> resume(const JobFilter& filter) override {
        return change_all({.change = BulkChange::resume, .filter = filter});
    }
    Result<std::int64_t> retry(const JobFilter& filter) override {
        return change_all({.change = BulkChange::retry, .filter = filter});
    }
    Result<std::int64_t> hasten(const JobFilter& filter) override {
        JobFilter changes = filter;
        changes.kind = "embed_page";
        return change_all({.change = BulkChange::hasten, .filter = std::move(changes)});
    }
    Result<std::int64_t> clear(const JobFilter& filter) override {
        return change_all({.change = BulkChange::clear, .filter = filter});
    }
    Result<std::int64_t> reprioritise(const JobFilter& filter, int priority) override {
        return change_all({.change = BulkChange::reprioritise, .filter = filter, .priority = priority});
    }

    Result<PagesWritten> write_pages(PageBatch batch) override;
    Result<std::vector<Visited>> keep_visits(KeptCrawl crawl, std::vector<Visit> visits) override {
        return transactor_.run<std::vector<Visited>>(
            Durability::fenced, [&](Ledger& ledger) { return pg::keep_visits(ledger, crawl, visits); });
    }
    Result<std::vector<std::optional<FormerPage>>> former_pages(const KeptCrawl& crawl,
                                                                std::span<const UrlKey> keys) override {
        return soon<std::vector<std::optional<FormerPage>>>(
            [&](Ledger& ledger) { return pg::former_pages(ledger, crawl, keys); });
    }
    Result<std::int64_t> forget(const PageFilter& filter) override;
    Result<std::int64_t> index_again(const PageFilter& filter, IndexAgain which) override;
    Result<void> set_collection(const Collection& collection) override {
        return change<void>([&](Ledger& ledger) { return pg::set_collection(ledger, collection); });
    }
    Result<bool> remove_collection(const std::string& name) override {
        const std::int64_t forgotten = TRY(forget({.collection = name}));
        const bool removed =
            TRY(change<bool>([&](Ledger& ledger) { return pg::remove_collection(ledger, name); }));
        return removed || forgotten > 0;
    }
    Result<void> add_session(const Session& session) override {
        return soon<void>([&](Ledger& ledger) { return pg::add_session(ledger, session); });
    }

    Result<void> set_limits(const std::string& owner, const OwnerLimits& limits) override {
        return change<void>([&](Ledger& ledger) { return pg::set_owner_limits(ledger, owner, limits); });
    }
    Result<std::int64_t> add_key(const ApiKey& key) override {
        return change<std::int64_t>([&](Ledger& ledger) { return pg::add_key(ledger, key); });
    }
    Result<bool> revoke_key(std::int64_t id) override {
        return change<bool>([&](Ledger& ledger) { return pg::revoke_key(ledger, id); });
    }
    Result<void> add_requests(std::span<const RequestRecord> requests) override {
        return soon<void>([&](Ledger& ledger) { return pg::add_requests(ledger, requests); });
    }
    Result<void> set_schedule(Schedule schedule) override {
        return change<void>([&](Ledger& ledger) { return pg::set_schedule(ledger, schedule); });
    }
    Result<bool> remove_schedule(const std::string& name) override {
        return change<bool>([&](Ledger& ledger) { return pg::remove_schedule(ledger, name); });
    }
    Result<void> erase(GroupId group) override;
    Result<Swept> sweep(const Retention& retention, std::chrono::milliseconds budget) override;
    Result<void> backup(const std::string&) override {
        return fail(ErrorCode::unsupported,
                    "PostgreSQL has its own ways for that: use pg_dump, or pg_basebackup");
    }

    std::uint64_t wait_for_change(std::uint64_t seen, Timestamp until, std::stop_token stop) override {
        // A notification of another process may be lost, so the caller checks again after a second.
        constexpr std::chrono::milliseconds patience{1'000};
        const auto left = until - now();
        const std::uint64_t count = changed_.wait(seen, std::min(left, patience), stop);
        if (count != seen || left <= patience || stop.stop_requested()) return count;
        changed_.raise();
        return changed_.wait(seen, patience, stop);
    }
    std::shared_ptr<void> observe(Observer observer) override { return observers_.add(std::move(observer)); }
    bool knows(GroupId group, const UrlKey& key) const override {
        return const_cast<pg::Transactor&>(transactor_).process().known.contains(group, key);
    }
    bool reconnects() const override { return true; }
    Result<void> reach() override {
        TRY(transactor_.borrow());
        return {};
    }
    Timestamp now() const override { return transactor_.now(); }
    std::uint64_t salt() const override { return salt_; }

private:
    // Durable when it returns.
    template <typename T, typename Operation>
    Result<T> change(Operation operation) {
        return transactor_.run<T>(Durability::before, operation);
    }
    // A power cut may undo it.
    template <typename T, typename Operation>
    Result<T> soon(Operation operation) {
        return transactor_.run<T>(Durability::later, operation);
    }
    Result<std::int64_t> change_all(BulkRequest request);
    using PageOperation =
        std::function<pg::Answer<pg::PagesChanged>(Ledger&, const PageFilter&, std::int64_t)>;
    Result<std::int64_t> change_pages(PageFilter filter, const PageOperation& operation);
    void tell(std::span<const Event> events, const pg::News& news);
    void hear(std::span<const Event> events, const pg::PutInLine& jobs);
    void call_observers(std::span<const Event> events);

    const std::uint64_t salt_;
    ChangeSignal changed_;
    Observers<std::span<const Event>> observers_;
    Guarded<std::vector<WorkerId>> workers_;
    pg::Transactor transactor_;
    pg::Notifier notifier_;
    pg::Finisher finisher_;
    const pg::Leadership leadership_;
    pg::Claimer claimer_;
    pg::Partitions partitions_;
    // These come last because their threads use all of the above.
    std::optional<pg::Upkeep> upkeep_;
    std::optional<pg::IndexUpkeep> index_upkeep_;
};

PostgresStore::~PostgresStore() {
    index_upkeep_.reset();
    upkeep_.reset();
    // If a worker cannot be retired here, the missing beats show that it is gone.
    for (const WorkerId worker : workers_.with([](auto& workers) { return workers; }))
        (void)retire_worker(worker);
}

Result<WorkerId> PostgresStore::register_worker(std::string name) {
    // The number must be durable: after a crash the server could give it to a second worker.
    const WorkerId id =
        TRY(change<WorkerId>([&](Ledger& ledger) { return pg::register_worker(ledger, name); }));
    workers_.with([&](auto& workers) { workers.push_back(id); });
    return id;
}

Result<void> PostgresStore::retire_worker(WorkerId worker) {
    TRY(soon<void>([&](Ledger& ledger) { return pg::retire_worker(ledger, worker); }));
    workers_.with([&](auto& workers) { std::erase(workers, worker); });
    return {};
}

Result<std::int64_t> PostgresStore::change_all(BulkRequest request) {
    std::int64_t changed = 0;
    while (true) {
        const BulkStep step =
            TRY(change<BulkStep>([&](Ledger& ledger) { return pg::change_some(ledger, request); }));
        changed += step.changed;
        if (!step.last) return changed;
        request.after = step.last;
    }
}

Result<std::int64_t> PostgresStore::change_pages(PageFilter filter, const PageOperation& operation) {
    std::ranges::sort(filter.keys);
    std::ranges::sort(filter.urls);
    std::int64_t changed = 0;
    for (std::optional<std::int64_t> place = 0; place;) {
        const pg::PagesChanged step =
            TRY(change<pg::PagesChanged>([&](Ledger& ledger) { return operation(ledger, filter, *place); }));
        changed += step.count;
        place = step.next;
    }
    return changed;
}

Result<PagesWritten> PostgresStore::write_pages(PageBatch batch) {
    if (batch.collection.empty() || batch.collection.starts_with('#')) {
        return fail(ErrorCode::invalid_argument, "a collection has a name, which does not begin with #");
    }
    PagesWritten written;
    for (std::span<const PageWrite> left = batch.pages; !left.empty();) {
        const auto some = left.first(pg::pages_in_step(left));
        const PagesWritten step =
            TRY(change<PagesWritten>([&](Ledger& ledger) { return pg::write_pages(ledger, batch, some); }));
        written.added += step.added;
        written.changed += step.changed;
        written.unchanged += step.unchanged;
        left = left.subspan(some.size());
    }
    return written;
}

Result<std::int64_t> PostgresStore::forget(const PageFilter& filter) {
    if (filter.is_empty()) {
        return fail(ErrorCode::invalid_argument, "nothing was said of which pages to forget");
    }
    return change_pages(filter, pg::forget_pages);
}

Result<std::int64_t> PostgresStore::index_again(const PageFilter& filter, IndexAgain which) {
    if (filter.group) {
        TRY(change<void>([&](Ledger& ledger) { return pg::let_group_index(ledger, *filter.group); }));
    }
    return change_pages(filter, [which](Ledger& ledger, const PageFilter& some, std::int64_t after) {
        return pg::index_pages_again(ledger, some, which, after);
    });
}

Result<void> PostgresStore::erase(GroupId group) {
    while (!TRY(change<bool>([&](Ledger& ledger) { return pg::erase_some(ledger, group); }))) {
    }
    return {};
}

Result<Swept> PostgresStore::sweep(const Retention& retention, std::chrono::milliseconds budget) {
    const auto end = std::chrono::steady_clock::now() + budget;
    const bool leads =
        TRY(soon<bool>([&](Ledger& ledger) -> pg::Answer<bool> { return leadership_.lead(ledger); }));
    if (!leads) return Swept{};
    partitions_.make_coming();
    Swept swept = partitions_.drop_past(retention);
    do {
        const pg::SweepStep step =
            TRY(soon<pg::SweepStep>([&](Ledger& ledger) { return pg::sweep_some(ledger, retention); }));
        swept.add(step.swept);
        if (step.is_last) break;
    } while (std::chrono::steady_clock::now() < end);
    return swept;
}

void PostgresStore::call_observers(std::span<const Event> events) {
    if (events.empty()) return;
    observers_.tell(events);
}

void PostgresStore::tell(std::span<const Event> events, const pg::News& news) {
    if (news.wakes) changed_.raise();
    call_observers(events);
    if (news.wakes || !events.empty()) notifier_.tell(events, news.jobs);
}

void PostgresStore::hear(std::span<const Event> events, const pg::PutInLine& jobs) {
    transactor_.process().claims.has_come(jobs);
    changed_.raise();
    call_observers(events);
}

}  // namespace

Result<std::unique_ptr<Store>> open_postgres_store(PostgresConfig config) {
    db::PgConnection connection = TRY(db::PgConnection::open(config.database));
    TRY(pg::migrate(connection));
    if (config.views) TRY(pg::migrate_views(connection));
    TRY(pg::check_complete(connection));
    const auto rows = TRY(connection.query(
        "select coalesce((select value from quarry.meta where name = 'salt'), 0), quarry.now_ms()"));
    const auto salt = static_cast<std::uint64_t>(rows.integer(0, 0));
    return std::make_unique<PostgresStore>(config, salt, time_of(rows.integer(0, 1)));
}

}  // namespace quarry::store
