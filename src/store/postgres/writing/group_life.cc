#include <algorithm>

#include <fmt/format.h>

#include "store/job_json.h"
#include "store/postgres/tables/urls.h"
#include "store/postgres/writing/operations.h"
#include "store/rows/columns.h"

namespace quarry::store::postgres {

namespace {

// A transaction that lets groups begin holds this advisory lock to its end, so that two transactions do not
// fill the same place.
constexpr db::PgStatement lock_starts{"lock_starts", "select pg_advisory_xact_lock(8102097, 1)"};

constexpr db::PgStatement open_groups_sql{"open_groups", R"sql(
    select grp.id, grp.owner, grp.state, grp.company, coalesce(owner.running_groups, $1)
    from quarry.grp join quarry.owner on owner.id = grp.owner
    where grp.finished_at is null and grp.state in (0, 1) order by grp.priority, grp.id)sql"};

// A group that another transaction has locked is considered by that transaction when it is done.
constexpr db::PgStatement try_lock_sql{
    "try_lock_group", "select id from quarry.grp where id = $1 and state = 0 for update skip locked"};

constexpr db::PgStatement hold_parked_sql{
    "hold_parked", "update quarry.parked set reason = 3 where grp = $1 and reason in (1, 2)"};

// The open jobs of a group that no transaction can move while the group is locked: held back, paused or
// leased.
constexpr db::PgStatement settled_jobs_sql{"settled_jobs", R"sql(
    select (select count(*) from quarry.parked where grp = $1 and reason in (3, 4))
         + (select count(*) from quarry.lease where grp = $1))sql"};

constexpr db::PgStatement reprioritise_leases_sql{"reprioritise_leases",
                                                  "update quarry.lease set priority = $2 where grp = $1"};

constexpr db::PgStatement set_limits_sql{"set_limits", R"sql(
    update quarry.owner set running_jobs = $2, running_groups = $3, open_jobs = $4, requests_per_minute = $5,
                            pages_per_month = $6, stored_bytes = $7
    where id = $1)sql"};

Result<void> add_notice(Ledger& ledger, const OpenGroup& group) {
    if (!group.later.notice) return {};
    NewJob notice = *group.later.notice;
    notice.owner = TRY(ledger.names().owner_name(group.owner));
    TRY(insert_jobs(ledger, {notice_about(std::move(notice), GroupId(group.id), group.state)}));
    return {};
}

// Jobs move between tables without a lock on their group: when they are claimed, and when their owner has a
// free place again. If a job moves while its group is being stopped, every statement that looks for the job
// may miss it, although each statement waits for the transaction that moves the job. But a group counts its
// open jobs, and the count changes only while the group is locked. So the search is repeated until all jobs
// are found. If it takes more rounds than this, the count itself is wrong.
constexpr int most_looks = 50;

// Holds the jobs of a group that ran: none is leased from now on.
Result<void> hold_jobs(Ledger& ledger, const OpenGroup& group) {
    for (int look = 0; look < most_looks; ++look) {
        for (JobRow& row : TRY(take_ready_of_group(ledger.sql(), group.id)))
            ledger.put_in_line(std::move(row));
        TRY(ledger.flush());
        TRY(ledger.sql().run(hold_parked_sql, db::PgValues(group.id)));
        const db::PgRows settled = TRY(ledger.sql().run(settled_jobs_sql, db::PgValues(group.id)));
        if (settled.integer(0, 0) >= group.counters.jobs_open) break;
    }
    return {};
}

// Changes the state of a group and moves its jobs accordingly.
Result<void> set_state(Ledger& ledger, OpenGroup& group, JobState state) {
    const bool ran = group.state == JobState::running;
    const bool runs = state == JobState::running;
    TRY(ledger.flush());  // jobs still to be put in line belong where the former state says
    group.state = state;
    if (ran && !runs && group.counters.jobs_open > 0) TRY(hold_jobs(ledger, group));
    // Even a group that only waited: other groups waited behind it.
    if (!runs) ledger.reconsider_groups();
    if (runs && !ran) {
        for (JobRow& row : TRY(take_parked(ledger.sql(), group.id, Parking::group)))
            ledger.put_in_line(std::move(row));
        if (!group.started_at) group.started_at = ledger.now();
        ledger.wake();
    }
    ledger.touch(group);
    ledger.tell_group(group);
    return {};
}

// Lets a group run. A group that was paused, or waits again, has begun before.
Result<void> begin(Ledger& ledger, OpenGroup& group) {
    const bool is_new = !group.started_at;
    TRY(set_state(ledger, group, JobState::running));
    if (is_new) TRY(add_notice(ledger, group));
    return {};
}

Result<void> end(Ledger& ledger, OpenGroup& group, JobState state) {
    TRY(set_state(ledger, group, state));
    group.finished_at = ledger.now();
    TRY(drop_waiting_urls(ledger.sql(), group.id));
    ledger.wake();
    return add_notice(ledger, group);
}

Result<void> cancel_job(Ledger& ledger, JobRow row, std::optional<Timestamp> started_at) {
    return ledger.end_job({.row = std::move(row),
                           .state = JobState::cancelled,
                           .finished_at = ledger.now(),
                           .started_at = started_at});
}

// Cancels waiting jobs first. A job that is claimed meanwhile is then found among the leases.
Result<void> cancel_jobs_once(Ledger& ledger, const OpenGroup& group) {
    for (JobRow& row : TRY(take_waiting_of_group(ledger.sql(), group.id)))
        TRY(cancel_job(ledger, std::move(row), std::nullopt));
    for (JobRow& row : TRY(take_leases_of_group(ledger.sql(), group.id))) {
        --ledger.tally_of_owner(row.owner).running_jobs;
        ledger.tell_lost(row.worker, row.id);
        const Timestamp leased_at = row.leased_at;
        TRY(cancel_job(ledger, std::move(row), leased_at));
    }
    return {};
}

// Ends the remaining jobs and URLs of a group, including running ones.
Result<void> cancel_rest(Ledger& ledger, OpenGroup& group) {
    TRY(ledger.flush());
    for (int look = 0; look < most_looks && group.counters.jobs_open > 0; ++look)
        TRY(cancel_jobs_once(ledger, group));
    group.counters.jobs_open = 0;
    for (const UrlLeaseRow& lease : TRY(take_url_leases_of_group(ledger.sql(), group.id))) {
        TRY(forget_url_lease(ledger, lease));
        ledger.tell_lost(lease.worker, lease.id);
    }
    return {};
}

bool has_work_left(const OpenGroup& group) {
    const GroupCounters& counters = group.counters;
    if (counters.jobs_open > 0 || counters.running > 0) return true;
    return counters.queued > 0 && !group.has_enough();
}

// URLs that never had their turn count as skipped. Their rows are not changed; readers derive the state.
void skip_the_rest(OpenGroup& group) {
    group.counters.skipped += group.counters.queued;
    group.counters.queued = 0;
}

Result<void> settle(Ledger& ledger, OpenGroup& group) {
    if (group.state != JobState::running || has_work_left(group)) return {};
    if (!group.later.closing.empty()) {
        std::vector<NewJob> closing = std::exchange(group.later.closing, {});
        TRY(save_later_jobs(ledger.sql(), group));
        for (NewJob& job : closing) job.group = GroupId(group.id);
        TRY(insert_jobs(ledger, std::move(closing)));
        if (has_work_left(group)) return {};
    }
    skip_the_rest(group);
    return end(ledger, group, JobState::completed);
}

// What decides whether other groups may begin: a group that has not ended.
struct Contender {
    std::int64_t id = 0, owner = 0;
    JobState state{};
    Concurrency concurrency{};
    std::int64_t most_groups = 0;  // of its owner
};

struct Places {
    std::int64_t groups = 0, exclusive = 0;  // running ones
};

class Starter {
public:
    explicit Starter(Ledger& ledger) : ledger_(ledger) {}

    Result<void> run() {
        TRY(ledger_.sql().run(lock_starts));
        const db::PgRows rows =
            TRY(ledger_.sql().run(open_groups_sql, db::PgValues(ledger_.limits().running_groups_per_owner)));
        std::vector<Contender> waiting;
        for (int row = 0; row < rows.size(); ++row) {
            const Contender group{.id = rows.integer(row, 0),
                                  .owner = rows.integer(row, 1),
                                  .state = static_cast<JobState>(rows.integer(row, 2)),
                                  .concurrency = static_cast<Concurrency>(rows.integer(row, 3)),
                                  .most_groups = rows.integer(row, 4)};
            if (group.state == JobState::running) {
                count(group);
            } else {
                waiting.push_back(group);
            }
        }
        for (const Contender& group : waiting) TRY(consider(group));
        return {};
    }

private:
    void count(const Contender& group) {
        ++running_;
        if (group.concurrency != Concurrency::unlimited) ++owners_[group.owner].groups;
        if (group.concurrency == Concurrency::exclusive) ++owners_[group.owner].exclusive;
    }

    bool may_start(const Contender& group) {
        const Places& owner = owners_[group.owner];
        if (running_ >= ledger_.limits().max_running_groups) return false;
        if (group.concurrency == Concurrency::unlimited) return true;
        if (owner.exclusive > 0) return false;
        if (group.concurrency == Concurrency::exclusive) return owner.groups == 0;
        return owner.groups < group.most_groups;
    }

    Result<void> consider(const Contender& group) {
        // A group does not overtake another of the same owner. Otherwise a group that runs alone would wait
        // for ever.
        if (owners_in_wait_.contains(group.owner) && group.concurrency != Concurrency::unlimited) return {};
        if (!may_start(group)) {
            owners_in_wait_.insert(group.owner);
            return {};
        }
        if (TRY(ledger_.sql().run(try_lock_sql, db::PgValues(group.id))).empty()) return {};
        OpenGroup* open = TRY(ledger_.group(group.id));
        if (!open || open->state != JobState::queued) return {};
        count(group);
        return begin(ledger_, *open);
    }

    Ledger& ledger_;
    std::int64_t running_ = 0;
    std::map<std::int64_t, Places> owners_;
    std::set<std::int64_t> owners_in_wait_;
};

}  // namespace

Result<void> settle_groups(Ledger& ledger) {
    // The list grows during the loop.
    for (std::size_t index = 0; index < ledger.dirty_groups().size(); ++index) {
        if (OpenGroup* group = TRY(ledger.group(ledger.dirty_groups()[index]))) TRY(settle(ledger, *group));
    }
    return {};
}

Result<void> start_waiting_groups(Ledger& ledger) {
    return Starter(ledger).run();
}

Result<std::optional<Error>> closed_group_error(Ledger& ledger, GroupId id) {
    const OpenGroup* group = TRY(ledger.any_group(number(id)));
    if (!group) return Error{ErrorCode::not_found, "there is no such group"};
    if (!group->is_over()) return std::nullopt;
    return Error{ErrorCode::conflict, fmt::format("the crawl is already {}", name_of(group->state))};
}

Answer<void> cancel_group(Ledger& ledger, GroupId id) {
    if (auto error = TRY(closed_group_error(ledger, id))) return Result<void>(std::unexpected(*error));
    OpenGroup& group = *TRY(ledger.group(number(id)));
    TRY(cancel_rest(ledger, group));
    // The rows of URLs stay as they are. The difference to `discovered` is the number of cancelled URLs.
    group.counters.queued = group.counters.running = 0;
    TRY(end(ledger, group, JobState::cancelled));
    return Result<void>{};
}

Answer<void> fail_group(Ledger& ledger, GroupId id, const std::string& reason) {
    if (auto error = TRY(closed_group_error(ledger, id))) return Result<void>(std::unexpected(*error));
    OpenGroup& group = *TRY(ledger.group(number(id)));
    TRY(cancel_rest(ledger, group));
    group.counters.queued += group.counters.running;
    group.counters.running = 0;
    skip_the_rest(group);
    group.error = reason;
    TRY(end(ledger, group, JobState::failed));
    return Result<void>{};
}

Answer<void> pause_group(Ledger& ledger, GroupId id) {
    if (auto error = TRY(closed_group_error(ledger, id))) return Result<void>(std::unexpected(*error));
    OpenGroup& group = *TRY(ledger.group(number(id)));
    if (group.state != JobState::paused) TRY(set_state(ledger, group, JobState::paused));
    return Result<void>{};
}

Answer<void> resume_group(Ledger& ledger, GroupId id) {
    if (auto error = TRY(closed_group_error(ledger, id))) return Result<void>(std::unexpected(*error));
    OpenGroup& group = *TRY(ledger.group(number(id)));
    if (group.state != JobState::paused) return Result<void>{};
    TRY(set_state(ledger, group, JobState::queued));
    return Result<void>{};
}

Answer<void> reprioritise_group(Ledger& ledger, GroupId id, int priority) {
    if (auto error = TRY(closed_group_error(ledger, id))) return Result<void>(std::unexpected(*error));
    OpenGroup& group = *TRY(ledger.group(number(id)));
    group.priority = group.pages.priority = priority;
    for (JobRow& row : TRY(take_waiting_of_group(ledger.sql(), group.id))) {
        row.priority = priority;
        ledger.put_in_line(std::move(row));
    }
    TRY(ledger.sql().run(reprioritise_leases_sql, db::PgValues(group.id, priority)));
    ledger.touch(group);
    ledger.reconsider_groups();
    return Result<void>{};
}

Result<OpenGroup*> reopen_group(Ledger& ledger, std::int64_t id) {
    OpenGroup* group = TRY(ledger.any_group(id));
    if (!group || !group->is_over()) return group;
    const bool was_cancelled = group->state == JobState::cancelled;
    const std::int64_t waiting = TRY(restore_waiting_urls(ledger.sql(), id));
    group->counters.queued += waiting;
    if (!was_cancelled) group->counters.skipped -= waiting;
    group->error.clear();
    group->finished_at.reset();
    TRY(set_state(ledger, *group, JobState::queued));
    return group;
}

Answer<void> set_owner_limits(Ledger& ledger, const std::string& name, const OwnerLimits& limits) {
    const std::int64_t id = TRY(ledger.names().owner(name));
    TRY(ledger.sql().run(set_limits_sql, db::PgValues(id, limits.running_jobs, limits.running_groups,
                                                      limits.open_jobs, limits.requests_per_minute,
                                                      limits.pages_per_month, limits.stored_bytes)));
    ledger.reconsider_owners();
    ledger.reconsider_groups();
    ledger.wake();
    return Result<void>{};
}

}  // namespace quarry::store::postgres
