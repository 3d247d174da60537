// Whether there is room on the disk. Asked before new work is taken, and the operating system at most once a
// second: a disk that is nearly full must stop a crawl while it can still be stopped cleanly.
#include "store/sqlite/store.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <sys/statvfs.h>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/observers.h"
#include "base/result.h"
#include "base/units.h"
#include "store/events.h"
#include "store/sqlite/ledger.h"
#include "store/sqlite/schema.h"
#include "store/sqlite/tables/metrics.h"
#include "store/sqlite/tables/schedules.h"
#include "store/sqlite/writer.h"
#include "store/sqlite/writing/operations.h"

namespace quarry::store {

class DiskWatch {
public:
    // `folder` is on the disk in question; 0 bytes: never complains.
    DiskWatch(std::string folder, std::uint64_t keep_free_bytes)
        : folder_(std::move(folder)), keep_free_bytes_(keep_free_bytes) {}

    // `unavailable`, with how much is free and what to do, if it is too little.
    Result<void> check();

private:
    std::string folder_;
    std::uint64_t keep_free_bytes_;
    std::atomic<std::int64_t> asked_at_{0};  // steady milliseconds
    std::atomic<std::uint64_t> free_bytes_{0};
};

namespace {

constexpr std::int64_t ask_every_ms = 1'000;

std::int64_t steady_ms() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

}  // namespace

Result<void> DiskWatch::check() {
    if (keep_free_bytes_ == 0) return {};
    const std::int64_t now = steady_ms();
    if (asked_at_.load() == 0 || now - asked_at_.load() >= ask_every_ms) {
        struct statvfs disk{};
        // A disk that does not answer is not known to be full.
        if (::statvfs(folder_.c_str(), &disk) != 0) return {};
        free_bytes_ = std::uint64_t{disk.f_bavail} * disk.f_frsize;
        asked_at_ = now;
    }
    if (free_bytes_ >= keep_free_bytes_) return {};
    return fail(ErrorCode::unavailable,
                fmt::format("only {} are free on {}, quarry keeps {} free: make room, then go on",
                            format_bytes(free_bytes_), folder_, format_bytes(keep_free_bytes_)));
}

namespace {

// The memory SQLite may use for pages, and the size beyond which the log is cut back when it is emptied.
constexpr std::string_view settings = R"sql(
PRAGMA journal_mode = WAL;
PRAGMA wal_autocheckpoint = 0;
PRAGMA journal_size_limit = 67108864;
PRAGMA cache_size = -16384;
PRAGMA temp_store = MEMORY;
PRAGMA secure_delete = FAST;
)sql";

std::string folder_of(const std::string& path) {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    return folder.empty() ? "." : folder.string();
}

// Every call becomes a command for the writer's thread; the operations themselves are in the files included
// above.
class SqliteStore final : public Store {
public:
    static Result<std::unique_ptr<Store>> open(SqliteConfig config);
    ~SqliteStore() override = default;

    Result<std::vector<Added>> add(std::vector<NewJob> jobs) override {
        TRY(disk_.check());
        return change<std::vector<Added>>([&] { return add_jobs(*ledger_, jobs); });
    }
    Result<GroupId> add_group(NewGroup group, std::vector<NewJob> jobs,
                              std::vector<FoundUrl> seeds) override {
        TRY(disk_.check());
        const Sync sync = group.concurrency == Concurrency::unlimited ? Sync::later : Sync::before;
        return writer_->call<GroupId>(sync, 1,
                                      [&] { return store::add_group(*ledger_, group, jobs, seeds); });
    }

    Result<WorkerId> register_worker(std::string name) override {
        return soon<WorkerId>([&] { return store::register_worker(*ledger_, name); });
    }
    Result<Leased> lease(const Demand& demand) override {
        TRY(disk_.check());
        return soon<Leased>([&] { return store::lease(*ledger_, demand); });
    }
    void begin(LeaseRef lease) override { begun_.add(number(lease.token)); }
    Result<std::vector<JobId>> beat(WorkerId worker, std::span<const Progress> progress) override {
        return soon<std::vector<JobId>>([&] { return store::beat(*ledger_, worker, progress); });
    }
    Result<void> release(std::vector<LeaseRef> leases) override {
        return soon<void>([&] { return store::release(*ledger_, leases); });
    }
    Result<void> retire_worker(WorkerId worker) override {
        return soon<void>([&] { return store::retire_worker(*ledger_, worker); });
    }
    using Store::finish;
    void finish(std::vector<Finished> finished, FinishCallback callback, CommitMode mode) override;

    Result<void> cancel(GroupId group) override {
        return change<void>([&] { return cancel_group(*ledger_, group); });
    }
    Result<void> pause(GroupId group) override {
        return change<void>([&] { return pause_group(*ledger_, group); });
    }
    Result<void> resume(GroupId group) override {
        return change<void>([&] { return resume_group(*ledger_, group); });
    }
    Result<void> fail_group(GroupId group, std::string reason) override {
        return change<void>([&] { return store::fail_group(*ledger_, group, reason); });
    }
    Result<void> reprioritise(GroupId group, int priority) override {
        return change<void>([&] { return reprioritise_group(*ledger_, group, priority); });
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
        return writer_->call<std::vector<Visited>>(
            Sync::before, visits.size(), [&] { return store::keep_visits(*ledger_, crawl, visits); });
    }
    Result<std::vector<std::optional<FormerPage>>> former_pages(const KeptCrawl& crawl,
                                                                std::span<const UrlKey> keys) override {
        return soon<std::vector<std::optional<FormerPage>>>(
            [&] { return store::former_pages(*ledger_, crawl, keys); });
    }
    Result<std::int64_t> forget(const PageFilter& filter) override;
    Result<std::int64_t> index_again(const PageFilter& filter, IndexAgain which) override;
    Result<void> set_collection(const Collection& collection) override {
        return change<void>([&] { return store::set_collection(*ledger_, collection); });
    }
    Result<bool> remove_collection(const std::string& name) override {
        const std::int64_t forgotten = TRY(forget({.collection = name}));
        const bool removed = TRY(change<bool>([&] { return store::remove_collection(*ledger_, name); }));
        return removed || forgotten > 0;
    }
    Result<void> add_session(const Session& session) override {
        return soon<void>([&] { return store::add_session(*ledger_, session); });
    }

    Result<void> set_limits(const std::string& owner, const OwnerLimits& limits) override {
        return change<void>([&] { return set_owner_limits(*ledger_, owner, limits); });
    }
    Result<std::int64_t> add_key(const ApiKey& key) override {
        return change<std::int64_t>([&] { return store::add_key(*ledger_, key); });
    }
    Result<bool> revoke_key(std::int64_t id) override {
        return change<bool>([&] { return store::revoke_key(*ledger_, id); });
    }
    Result<void> add_requests(std::span<const RequestRecord> requests) override {
        return soon<void>([&] { return store::add_requests(*ledger_, requests); });
    }
    Result<void> set_schedule(Schedule schedule) override {
        return change<void>([&] { return store::set_schedule(*ledger_, schedule); });
    }
    Result<bool> remove_schedule(const std::string& name) override {
        return change<bool>([&] { return store::remove_schedule(*ledger_, name); });
    }
    Result<void> erase(GroupId group) override;
    Result<Swept> sweep(const Retention& retention, std::chrono::milliseconds budget) override;
    Result<void> backup(const std::string& file) override;

    std::uint64_t wait_for_change(std::uint64_t seen, Timestamp until, std::stop_token stop) override {
        return wait_for(changed_, seen, until, *clock_, stop);
    }
    std::shared_ptr<void> observe(Observer observer) override { return observers_.add(std::move(observer)); }
    bool knows(GroupId group, const UrlKey& key) const override { return known_.contains(group, key); }
    bool reconnects() const override { return false; }
    Result<void> reach() override { return {}; }
    Timestamp now() const override { return clock_->now(); }
    std::uint64_t salt() const override { return ledger_->salt(); }

private:
    SqliteStore(SqliteConfig config, db::Connection connection, BegunFile begun)
        : config_(std::move(config)),
          clock_(config_.clock ? config_.clock : &wall_clock_),
          disk_(folder_of(config_.path), config_.limits.low_disk_bytes),
          begun_(std::move(begun)),
          connection_(std::move(connection)) {}

    // Durable when it returns.
    template <typename T, typename Operation>
    Result<T> change(Operation operation) {
        return writer_->call<T>(Sync::before, 1, operation);
    }
    // What a power cut may undo.
    template <typename T, typename Operation>
    Result<T> soon(Operation operation) {
        return writer_->call<T>(Sync::later, 1, operation);
    }
    Result<std::int64_t> change_all(BulkRequest request);
    using PageOperation = std::function<Answer<PagesChanged>(Ledger&, const PageFilter&, const PagePlace&)>;
    Result<std::int64_t> change_pages(PageFilter filter, const PageOperation& operation);
    void tell(std::span<const Event> events, bool wakes);

    SqliteConfig config_;
    WallClock wall_clock_;
    const Clock* clock_;
    DiskWatch disk_;
    BegunFile begun_;
    KnownKeys known_;
    ChangeSignal changed_;
    Observers<std::span<const Event>> observers_;
    db::Connection connection_;
    std::unique_ptr<Ledger> ledger_;
    std::unique_ptr<Writer> writer_;  // the last: its thread uses all of the above
};

Result<std::unique_ptr<Store>> SqliteStore::open(SqliteConfig config) {
    db::Connection connection = TRY(db::Connection::open(config.path, db::Access::create, config.vfs));
    TRY(migrate(connection));
    TRY(check_complete(connection));
    TRY(connection.execute(settings));
    BegunFile begun = TRY(BegunFile::open(config.path + "-begun"));
    std::unique_ptr<SqliteStore> store(
        new SqliteStore(std::move(config), std::move(connection), std::move(begun)));
    store->ledger_ = TRY(Ledger::open({.connection = store->connection_,
                                       .clock = *store->clock_,
                                       .limits = store->config_.limits,
                                       .begun = store->begun_,
                                       .known = store->known_}));
    SqliteStore* self = store.get();
    store->ledger_->on_commit(
        [self](std::span<const Event> events, bool wakes) { self->tell(events, wakes); });
    store->writer_ = std::make_unique<Writer>(store->connection_, *store->ledger_,
                                              store->config_.durability == Durability::full);
    return store;
}

void SqliteStore::finish(std::vector<Finished> finished, FinishCallback callback, CommitMode mode) {
    struct Call {
        std::vector<Finished> finished;
        FinishCallback callback;
        Result<std::vector<Verdict>> verdicts{};
    };
    auto call = std::make_unique<Call>(Call{std::move(finished), std::move(callback)});
    Call* shared = call.get();
    writer_->submit({.sync = mode == CommitMode::not_durable ? Sync::later : Sync::before,
                     .weight = shared->finished.size(),
                     .mode = mode,
                     .apply = [this, shared]() -> Result<void> {
                         shared->verdicts = TRY(store::finish(*ledger_, shared->finished));
                         return {};
                     },
                     .answer =
                         [call = std::move(call)](Result<void> committed) {
                             if (!committed) call->verdicts = std::unexpected(committed.error());
                             call->callback(std::move(call->verdicts));
                         }});
}

Result<std::int64_t> SqliteStore::change_all(BulkRequest request) {
    std::int64_t changed = 0;
    while (true) {
        const BulkStep step = TRY(change<BulkStep>([&] { return change_some(*ledger_, request); }));
        changed += step.changed;
        if (!step.last) return changed;
        request.after = step.last;
    }
}

Result<std::int64_t> SqliteStore::change_pages(PageFilter filter, const PageOperation& operation) {
    std::ranges::sort(filter.keys);
    std::ranges::sort(filter.urls);
    std::int64_t changed = 0;
    for (std::optional<PagePlace> place = PagePlace{}; place;) {
        PagesChanged step = TRY(change<PagesChanged>([&] { return operation(*ledger_, filter, *place); }));
        changed += step.count;
        place = std::move(step.next);
    }
    return changed;
}

Result<PagesWritten> SqliteStore::write_pages(PageBatch batch) {
    TRY(disk_.check());
    if (batch.collection.empty() || batch.collection.starts_with('#')) {
        return fail(ErrorCode::invalid_argument, "a collection has a name, which does not begin with #");
    }
    PagesWritten written;
    for (std::span<const PageWrite> left = batch.pages; !left.empty();) {
        const auto some = left.first(pages_in_step(left));
        const PagesWritten step = TRY(writer_->call<PagesWritten>(
            Sync::before, some.size(), [&] { return store::write_pages(*ledger_, batch, some); }));
        written.added += step.added;
        written.changed += step.changed;
        written.unchanged += step.unchanged;
        left = left.subspan(some.size());
    }
    return written;
}

Result<std::int64_t> SqliteStore::forget(const PageFilter& filter) {
    if (filter.is_empty()) {
        return fail(ErrorCode::invalid_argument, "nothing was said of which pages to forget");
    }
    return change_pages(filter, forget_pages);
}

Result<std::int64_t> SqliteStore::index_again(const PageFilter& filter, IndexAgain which) {
    if (filter.group) TRY(change<void>([&] { return let_group_index(*ledger_, *filter.group); }));
    return change_pages(filter, [which](Ledger& ledger, const PageFilter& some, const PagePlace& place) {
        return index_pages_again(ledger, some, which, place);
    });
}

Result<void> SqliteStore::erase(GroupId group) {
    while (!TRY(change<bool>([&] { return erase_some(*ledger_, group); }))) {
    }
    writer_->empty_log();
    return {};
}

Result<Swept> SqliteStore::sweep(const Retention& retention, std::chrono::milliseconds budget) {
    const auto end = std::chrono::steady_clock::now() + budget;
    Swept swept;
    do {
        const SweepStep step = TRY(soon<SweepStep>([&] { return sweep_some(*ledger_, retention); }));
        swept.add(step.swept);
        if (step.is_private) writer_->empty_log();
        if (step.is_last) break;
    } while (std::chrono::steady_clock::now() < end);
    return swept;
}

Result<void> SqliteStore::backup(const std::string& file) {
    // A connection of its own reads one snapshot, so the writer goes on.
    db::Connection reader = TRY(db::Connection::open(config_.path, db::Access::read_only, config_.vfs));
    return reader.copy_to(file);
}

void SqliteStore::tell(std::span<const Event> events, bool wakes) {
    if (wakes) changed_.raise();
    if (events.empty()) return;
    observers_.tell(events);
}

}  // namespace

Result<std::unique_ptr<Store>> open_sqlite_store(SqliteConfig config) {
    return SqliteStore::open(std::move(config));
}

}  // namespace quarry::store
