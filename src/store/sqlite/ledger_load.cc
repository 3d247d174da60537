// How the memory beside the database is built from it: at start, and after a rollback.
#include "store/rows/columns.h"
#include "store/sqlite/ledger.h"

namespace quarry::store {

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
