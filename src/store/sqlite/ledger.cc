#include "store/sqlite/ledger.h"

#include <random>

#include "store/rows/columns.h"
#include "store/sqlite/writing/operations.h"

namespace quarry::store {

namespace {

// Tokens of one process never meet those of another: the epoch is their upper part.
constexpr int token_bits = 40;

Result<std::int64_t> meta(db::Connection& connection, std::string_view name) {
    db::Statement find = TRY(connection.prepare("SELECT value FROM meta WHERE name = ?1"));
    if (!TRY(find.bind(name).step())) return 0;
    return find.integer(0);
}

Result<void> set_meta(db::Connection& connection, std::string_view name, std::int64_t value) {
    db::Statement set = TRY(connection.prepare("INSERT OR REPLACE INTO meta(name, value) VALUES (?1, ?2)"));
    return set.bind(name, value).run();
}

std::int64_t random_salt() {
    std::random_device random;
    return static_cast<std::int64_t>((std::uint64_t{random()} << 32) | random());
}

}  // namespace

Ledger::Ledger(Parts parts)
    : frontier([this](std::int64_t group, std::int64_t host, UrlWindow& window) {
          return refill(group, host, window);
      }),
      parts_(std::move(parts)) {}

Result<std::unique_ptr<Ledger>> Ledger::open(Parts parts) {
    std::unique_ptr<Ledger> ledger(new Ledger(std::move(parts)));
    db::Connection& connection = ledger->parts_.connection;
    const StoreLimits& limits = ledger->parts_.limits;
    const OwnerLimits standard{.running_jobs = limits.running_jobs_per_owner,
                               .running_groups = limits.running_groups_per_owner,
                               .open_jobs = limits.max_open_jobs_per_owner};
    Ledger* self = ledger.get();
    // One by one: g++ 12 leaks what a braced list has made already when a TRY inside of it returns.
    JobRows jobs = TRY(JobRows::create(connection));
    FrontierRows urls = TRY(FrontierRows::create(connection));
    GroupRows groups = TRY(GroupRows::create(connection));
    HostTable hosts = TRY(HostTable::create(connection));
    NameTable kinds = TRY(NameTable::create(connection));
    OwnerTable owners = TRY(OwnerTable::create(connection, standard));
    ledger->outbox_ = TRY(Outbox::create(connection));
    PageRows pages = TRY(PageRows::create(connection, {.outbox = *ledger->outbox_,
                                                       .next_id = [self] { return self->next_id(); },
                                                       .now = [self] { return self->now(); }}));
    ledger->rows_ =
        std::make_unique<Rows>(std::move(jobs), std::move(urls), std::move(groups), std::move(hosts),
                               std::move(kinds), std::move(owners), std::move(pages));
    ledger->save_next_id_ =
        TRY(connection.prepare("INSERT OR REPLACE INTO meta(name, value) VALUES ('next_id', ?1)"));
    TRY(ledger->load());
    TRY(ledger->begin_epoch());
    return ledger;
}

// Everything that a former process had leased goes back, by the same way as what a dead worker held.
Result<void> Ledger::begin_epoch() {
    db::Transaction transaction = TRY(db::Transaction::begin(connection()));
    epoch_ = TRY(meta(connection(), "epoch")) + 1;
    next_token_ = (epoch_ << token_bits) + 1;
    salt_ = static_cast<std::uint64_t>(TRY(meta(connection(), "salt")));
    if (salt_ == 0) salt_ = static_cast<std::uint64_t>(random_salt());
    TRY(set_meta(connection(), "epoch", epoch_));
    TRY(set_meta(connection(), "salt", static_cast<std::int64_t>(salt_)));
    TRY(connection().execute("DELETE FROM worker"));
    for (const JobId id : leases.ids_where([](const Lease&) { return true; })) {
        TRY(take_back(*this, id, Cause::worker_died));
    }
    TRY(before_commit());
    TRY(transaction.commit());
    begun().clear();
    after_commit();
    return {};
}

OpenGroup* Ledger::group(std::int64_t id) {
    const auto found = groups_.find(id);
    return found == groups_.end() || found->second.is_over() ? nullptr : &found->second;
}

void Ledger::set_running(const OpenGroup& group, bool runs) {
    const int change = runs ? 1 : -1;
    Owner& owner = rows_->owners.at(group.owner);
    if (group.concurrency != Concurrency::unlimited) owner.running_groups += change;
    if (group.concurrency == Concurrency::exclusive) owner.exclusive_groups += change;
    if (runs) {
        running_groups_.insert(group.id);
    } else {
        running_groups_.erase(group.id);
    }
}

Result<void> Ledger::count_private_groups(std::int64_t change) {
    private_groups_ += change;
    return connection().execute(private_groups_ > 0 ? "PRAGMA secure_delete = ON"
                                                    : "PRAGMA secure_delete = FAST");
}

void Ledger::tell_group(const OpenGroup& group) {
    tell({.what = Event::What::group_changed, .group = GroupId(group.id), .state = group.state});
}

void Ledger::put_in_line(const JobRow& row) {
    if (row.run_at && *row.run_at > now()) {
        delayed_jobs.push(*row.run_at, row.id);
    } else {
        ready.push(row.place, row.id);
        wake();
    }
}

void Ledger::put_in_line(OpenGroup& group, const UrlRow& row) {
    if (row.run_at) {
        delayed_urls.push(*row.run_at, row.id);
    } else {
        frontier.add(group.id, row.host, {row.priority, row.id});
    }
    wake();
}

void Ledger::count_open_job(int owner, std::int64_t group_id, int change) {
    open_jobs_ += change;
    rows_->owners.at(owner).open_jobs += change;
    if (OpenGroup* group_of_job = group(group_id)) {
        group_of_job->counters.jobs_open += change;
        touch(*group_of_job);
    }
}

void Ledger::count_running(const Lease& lease, int change) {
    if (lease.is_change()) return;
    Owner& owner = rows_->owners.at(lease.owner);
    if (lease.is_url()) {
        owner.running_urls += change;
        return;
    }
    owner.running_jobs += change;
    if (owner.has_room()) {
        ready.open_owner(lease.owner);
    } else {
        ready.close_owner(lease.owner);
    }
}

Result<void> Ledger::add_lease(JobId id, const Lease& lease) {
    TRY(rows_->jobs.insert_lease(number(id), lease.token, lease.worker, lease.leased_at));
    leases.add(id, lease);
    if (lease.is_change()) outbox_->queue.lease(lease.page);
    count_running(lease, 1);
    return {};
}

Result<void> Ledger::remove_lease(JobId id) {
    const Lease* lease = leases.find(id);
    TRY(rows_->jobs.remove_lease(number(id)));
    count_running(*lease, -1);
    if (lease->is_url()) rows_->hosts.remove_claim(lease->host);
    if (lease->is_change()) outbox_->queue.unlease(lease->page, lease->collection);
    ended_tokens_.push_back(number(lease->token));
    leases.remove(id);
    wake();
    return {};
}

Result<void> Ledger::settle() {
    TRY(settle_groups(*this));
    // A group that ends makes room for another, which may have nothing to do and end too.
    while (std::exchange(groups_may_start_, false)) {
        TRY(start_waiting_groups(*this));
        TRY(settle_groups(*this));
    }
    return {};
}

Result<void> Ledger::before_commit() {
    TRY(settle());
    TRY(save_groups());
    if (next_id_ != saved_next_id_) {
        TRY(save_next_id_.bind(next_id_).run());
        saved_next_id_ = next_id_;
    }
    return {};
}

Result<void> Ledger::save_groups() {
    for (const std::int64_t id : dirty_groups_) {
        OpenGroup& group = groups_.at(id);
        TRY(rows_->groups.save(group));
        group.is_dirty = false;
        if (group.is_over()) groups_.erase(id);
    }
    dirty_groups_.clear();
    for (const auto& [id, tally] : tallies_) TRY(rows_->groups.add(id, tally));
    tallies_.clear();
    for (const auto& [owner, pages] : pages_fetched_) TRY(rows_->owners.add_usage(owner, now(), pages));
    pages_fetched_.clear();
    return outbox_->rows.save_counts();
}

void Ledger::after_commit() {
    for (const auto& [group, key] : admitted_) known().add(GroupId(group), key);
    admitted_.clear();
    known_is_forgotten_ = false;
    // Not before: a lease whose end was rolled back goes on, and its handler had begun.
    for (const std::int64_t token : ended_tokens_) begun().remove(token);
    ended_tokens_.clear();
    if (listener_ && (wakes_ || !events_.empty())) listener_(events_, wakes_);
    events_.clear();
    wakes_ = false;
}

Result<void> Ledger::refill(std::int64_t group, std::int64_t host, UrlWindow& window) {
    std::vector<UrlPlace> places = TRY(rows_->urls.ready_after(group, host, window.end(), UrlWindow::wanted));
    std::optional<UrlPlace> end;
    if (places.size() == UrlWindow::wanted) end = places.back();
    std::erase_if(places, [&](const UrlPlace& place) { return leases.contains(place.id); });
    window.refill(places, end);
    return {};
}

// How the memory beside the database is built from it: at start, and after a rollback.

namespace {

constexpr std::string_view lease_columns = "SELECT id, token, worker, leased_at FROM lease";

}  // namespace

Result<void> Ledger::rebuild() {
    events_.clear();
    admitted_.clear();
    tallies_.clear();
    pages_fetched_.clear();
    ended_tokens_.clear();
    wakes_ = true;
    groups_may_start_ = true;
    TRY(rows_->hosts.reload());
    TRY(rows_->kinds.reload());
    TRY(rows_->owners.reload());
    return load();
}

Result<void> Ledger::load() {
    ready = {};
    frontier.clear();
    leases.clear();
    groups_.clear();
    dirty_groups_.clear();
    running_groups_.clear();
    delayed_jobs = delayed_urls = start_limits = deadlines = {};
    next_id_ = saved_next_id_ =
        TRY(connection().integer("SELECT value FROM meta WHERE name = 'next_id'")).value_or(1);
    TRY(schedules.load(connection()));
    TRY(outbox_->load());
    TRY(load_groups());
    TRY(load_leases());
    for (int id = 1; id <= rows_->owners.count(); ++id) {
        if (!rows_->owners.at(id).has_room()) ready.close_owner(id);
    }
    TRY(load_jobs());
    return load_urls();
}

Result<void> Ledger::load_groups() {
    private_groups_ = TRY(connection().integer("SELECT count(*) FROM grp WHERE zero_retention")).value_or(0);
    TRY(count_private_groups(0));
    for (OpenGroup& group : TRY(rows_->groups.open_groups())) {
        TRY(load_group_facts(group));
        if (group.state == JobState::running) {
            set_running(group, true);
        } else {
            ready.hold_group(group.id);
        }
        groups_.emplace(group.id, std::move(group));
    }
    return {};
}

Result<void> Ledger::load_group_facts(OpenGroup& group) {
    group.has_aliases = TRY(rows_->urls.has_aliases(group.id));
    group.has_former = TRY(rows_->pages.has_pages(group.pages));
    return {};
}

Result<void> Ledger::load_leases() {
    db::Statement rows = TRY(connection().prepare(lease_columns));
    while (TRY(rows.step())) {
        const JobId id{rows.integer(0)};
        Lease lease{.token = Token(rows.integer(1)),
                    .worker = WorkerId(rows.integer(2)),
                    .leased_at = time_of(rows.integer(3))};
        if (!TRY(load_lease(id, lease))) continue;
        leases.add(id, lease);
        count_running(lease, 1);
    }
    return {};
}

// Completes a lease with what its row says. False if there is nothing that it could be of.
Result<bool> Ledger::load_lease(JobId id, Lease& lease) {
    if (const auto job = TRY(rows_->jobs.find(number(id)))) {
        lease.owner = job->place.owner;
        lease.group = job->place.group;
        lease.priority = job->place.priority;
        lease.kind = job->place.kind;
        lease.attempts = job->attempts;
        lease.max_attempts = job->max_attempts;
        lease.stalls = job->stalls;
        lease.snoozes = job->snoozes;
        return true;
    }
    if (const auto url = TRY(rows_->urls.find(number(id)))) {
        lease.group = url->group;
        lease.host = url->host;
        lease.priority = url->priority;
        lease.attempts = url->attempts;
        lease.stalls = url->stalls;
        lease.snoozes = url->snoozes;
        lease.url = url->url;
        const OpenGroup* owner = group(url->group);
        if (!owner) return false;
        lease.owner = owner->owner;
        rows_->hosts.add_claim(lease.host, lease.worker);
        return true;
    }
    const auto change = TRY(outbox_->rows.find(number(id)));
    if (!change) return false;
    lease.group = change->group;
    lease.page = change->page;
    lease.collection = change->collection;
    outbox_->queue.lease(lease.page);
    return true;
}

Result<void> Ledger::load_jobs() {
    open_jobs_ = 0;
    return rows_->jobs.for_each_open([&](const JobRow& row) {
        ++open_jobs_;
        ++rows_->owners.at(row.place.owner).open_jobs;
        if (row.start_by) start_limits.push(*row.start_by, row.id);
        if (row.deadline) deadlines.push(*row.deadline, row.id);
        if (row.state == JobState::queued && !leases.contains(row.id)) put_in_line(row);
    });
}

Result<void> Ledger::load_urls() {
    for (const auto& [id, group] : groups_) {
        for (const std::int64_t host : TRY(rows_->urls.ready_hosts(id))) frontier.add_unread(id, host);
    }
    return rows_->urls.for_each_delayed([&](const DelayedUrl& url) {
        if (group(url.group)) delayed_urls.push(url.run_at, url.id);
    });
}

}  // namespace quarry::store
