#include <algorithm>
#include <charconv>

#include "store/postgres/writing/operations.h"
#include "store/rows/columns.h"
#include "store/rules/transitions.h"

namespace quarry::store::postgres {

namespace {

constexpr db::PgStatement register_sql{"register_worker",
                                       "insert into quarry.worker(id, name, beat_at) values ($1, $2, $3)"};
constexpr db::PgStatement beat_sql{"beat", R"sql(
    with old as materialized (select id, array_to_string(lost, ',') as lost from quarry.worker where id = $1 for no key update)
    update quarry.worker set beat_at = $2, is_dead = false, lost = '{}' from old where worker.id = old.id
    returning old.lost)sql"};
constexpr db::PgStatement hear_of_sql{"hear_of_worker",
                                      "update quarry.worker set beat_at = $2, is_dead = false where id = $1"};
constexpr db::PgStatement progress_sql{"save_progress", R"sql(
    with u as (select * from unnest($1::bigint[], $2::bigint[], $3::bigint[]) as u(id, token, percent)),
         jobs as (update quarry.lease set progress = u.percent from u
                  where lease.id = u.id and lease.token = u.token returning lease.id)
    select id from u where not exists (select 1 from jobs where jobs.id = u.id)
        and not exists (select 1 from quarry.url_lease l where l.id = u.id and l.token = u.token)
        and not exists (select 1 from quarry.change_lease l where l.id = u.id and l.token = u.token))sql"};
constexpr db::PgStatement begun_sql{"save_begun", R"sql(
    with u as materialized (select * from unnest($1::bigint[], $2::bigint[]) as u(id, token)),
         jobs as (update quarry.lease l set has_begun = true from u where l.id = u.id and l.token = u.token),
         urls as (update quarry.url_lease l set has_begun = true from u where l.id = u.id and l.token = u.token)
    update quarry.change_lease l set has_begun = true from u where l.id = u.id and l.token = u.token)sql"};
// A worker that is just being given something is left alone: it is alive.
constexpr db::PgStatement bury_sql{"bury_workers", R"sql(
    with dead as materialized (select id from quarry.worker where not is_dead and beat_at < $1 for update skip locked)
    update quarry.worker set is_dead = true from dead where worker.id = dead.id returning worker.id, worker.name)sql"};
constexpr db::PgStatement lock_worker_sql{"lock_worker",
                                          "select 1 from quarry.worker where id = $1 for update"};
constexpr db::PgStatement forget_worker_sql{"forget_worker", "delete from quarry.worker where id = $1"};
constexpr db::PgStatement groups_held_sql{"groups_held", R"sql(
    select grp from quarry.lease where worker = $1 and grp is not null
    union select grp from quarry.url_lease where worker = $1)sql"};
constexpr db::PgStatement groups_leased_sql{"groups_leased", R"sql(
    select grp from quarry.lease where id = any($1::bigint[]) and grp is not null
    union select grp from quarry.url_lease where id = any($1::bigint[]))sql"};

// Whether the handler had begun, by what the database or this process knows.
bool had_begun(Ledger& ledger, std::int64_t token, bool is_saved) {
    ledger.forget_begun(token);
    return is_saved || ledger.process().begun.contains(token);
}

enum class Cause : std::uint8_t {
    worker_died,  // costs a stall if the handler had begun; too many of them, and the job fails
    released,     // costs a snooze, as it does to die before it began
};

// Nothing if it goes back to its line; else why it has gone back too often.
std::optional<std::string_view> count_return(const StoreLimits& limits, int& stalls, int& snoozes,
                                             bool stalled) {
    if (stalled) return ++stalls > limits.max_stalls ? std::optional(worker_timed_out) : std::nullopt;
    return ++snoozes > limits.max_snoozes ? std::optional(put_off_too_often) : std::nullopt;
}

// What the last error of one that goes back is; nothing: it stays.
std::optional<std::string_view> note_of_return(bool stalled) {
    return stalled ? std::optional(worker_timed_out) : std::nullopt;
}

Result<void> take_back(Ledger& ledger, JobRow row, Cause cause) {
    const bool stalled = had_begun(ledger, row.token, row.has_begun) && cause == Cause::worker_died;
    --ledger.tally_of_owner(row.owner).running_jobs;
    const auto why = count_return(ledger.limits(), row.stalls, row.snoozes, stalled);
    if (stalled) row.start_by.reset();  // it has begun once
    if (stalled) row.last_error = worker_timed_out;
    if (!why) {
        ledger.put_in_line(std::move(row));
        return {};
    }
    row.last_error = *why;
    const Timestamp leased_at = row.leased_at;
    return ledger.end_job({.row = std::move(row),
                           .state = JobState::failed,
                           .finished_at = ledger.now(),
                           .started_at = leased_at});
}

Result<void> take_back(Ledger& ledger, LeasedUrl url, Cause cause) {
    UrlRow& row = url.row;
    const bool stalled =
        had_begun(ledger, url.lease.token, url.lease.has_begun) && cause == Cause::worker_died;
    TRY(forget_url_lease(ledger, url.lease));
    OpenGroup* group = TRY(ledger.group(row.group));
    if (!group) return {};
    if (const auto why = count_return(ledger.limits(), row.stalls, row.snoozes, stalled)) {
        return end_url(ledger, row, {.state = UrlState::failed, .note = std::string(*why)},
                       UrlState::running);
    }
    TRY(requeue_url(ledger, row, note_of_return(stalled)));
    --group->counters.running;
    ++group->counters.queued;
    ledger.touch(*group);
    return put_url_in_line(ledger, row);
}

Result<void> take_back(Ledger& ledger, LeasedChange change, Cause cause) {
    ChangeRow& row = change.row;
    const bool stalled =
        had_begun(ledger, change.lease.token, change.lease.has_begun) && cause == Cause::worker_died;
    if (TRY(is_outdated(ledger.sql(), row))) return forget_change(ledger, row);
    StoreLimits limits = ledger.limits();
    limits.max_snoozes = limits.change_snoozes;
    const auto why = count_return(limits, row.stalls, row.snoozes, stalled);
    if (!why)
        return requeue_change(ledger, row, note_of_return(stalled),
                              stalled ? std::optional(ledger.now()) : std::nullopt);
    TRY(end_change(ledger, row, {.state = JobState::failed, .error = *why}));
    std::optional<GroupId> group;
    if (row.group != 0) group = GroupId(row.group);
    ledger.tell({.what = Event::What::index_failed,
                 .group = group,
                 .id = JobId(row.id),
                 .url = row.url,
                 .state = JobState::failed});
    return {};
}

Result<void> lock_groups_of(Ledger& ledger, const db::PgStatement& sql, const db::PgValues& values) {
    const db::PgRows rows = TRY(ledger.sql().run(sql, values));
    std::set<std::int64_t> groups;
    for (int row = 0; row < rows.size(); ++row) groups.insert(rows.integer(row, 0));
    return ledger.lock_groups(groups);
}

// Returns what it held.
Result<std::vector<std::int64_t>> take_back_all(Ledger& ledger, std::int64_t worker) {
    TRY(lock_groups_of(ledger, groups_held_sql, db::PgValues(worker)));
    std::vector<std::int64_t> held;
    for (JobRow& row : TRY(take_leases_of_worker(ledger.sql(), worker))) {
        held.push_back(row.id);
        TRY(take_back(ledger, std::move(row), Cause::worker_died));
    }
    for (LeasedUrl& url : TRY(take_url_leases_of_worker(ledger.sql(), worker))) {
        held.push_back(url.row.id);
        TRY(take_back(ledger, std::move(url), Cause::worker_died));
    }
    for (LeasedChange& change : TRY(take_change_leases_of_worker(ledger.sql(), worker))) {
        held.push_back(change.row.id);
        TRY(take_back(ledger, std::move(change), Cause::worker_died));
    }
    if (!held.empty()) ledger.wake();
    return held;
}

std::vector<JobId> ids_in(std::string_view list) {
    std::vector<JobId> ids;
    while (!list.empty()) {
        std::int64_t id = 0;
        const auto read = std::from_chars(list.data(), list.data() + list.size(), id);
        ids.push_back(JobId(id));
        list.remove_prefix(static_cast<std::size_t>(read.ptr - list.data()));
        if (!list.empty()) list.remove_prefix(1);
    }
    return ids;
}

Result<void> save_progress(Ledger& ledger, std::span<const Progress> progress, std::vector<JobId>& lost) {
    if (progress.empty()) return {};
    db::PgIntegers ids, tokens, percents;
    for (const Progress& entry : progress) {
        ids.emplace_back(number(entry.lease.id));
        tokens.emplace_back(number(entry.lease.token));
        percents.emplace_back(entry.percent);
    }
    const db::PgRows rows = TRY(ledger.sql().run(progress_sql, db::PgValues(ids, tokens, percents)));
    for (int row = 0; row < rows.size(); ++row) lost.push_back(JobId(rows.integer(row, 0)));
    return {};
}

}  // namespace

Result<void> save_begun(Ledger& ledger, std::chrono::milliseconds age) {
    const std::vector<LeaseRef> unsaved = ledger.process().begun.unsaved(age);
    if (unsaved.empty()) return {};
    db::PgIntegers ids, tokens;
    for (const LeaseRef& lease : unsaved) {
        ids.emplace_back(number(lease.id));
        tokens.emplace_back(number(lease.token));
    }
    TRY(ledger.sql().run(begun_sql, db::PgValues(ids, tokens)));
    ledger.has_saved_begun(unsaved);
    return {};
}

Result<std::optional<JobRow>> revoke_job(Ledger& ledger, std::int64_t id) {
    Rows rows = TRY(take_leases(ledger.sql(), db::PgIntegers{id}));
    if (rows.empty()) return std::nullopt;
    ledger.forget_begun(rows[0].token);
    --ledger.tally_of_owner(rows[0].owner).running_jobs;
    ledger.tell_lost(rows[0].worker, id);
    return std::move(rows[0]);
}

Result<bool> revoke_url(Ledger& ledger, std::int64_t id) {
    const auto lease = TRY(take_url_lease(ledger.sql(), id));
    if (!lease) return false;
    ledger.forget_begun(lease->token);
    TRY(forget_url_lease(ledger, *lease));
    ledger.tell_lost(lease->worker, id);
    return true;
}

Result<bool> revoke_change(Ledger& ledger, std::int64_t id) {
    const auto lease = TRY(take_change_lease(ledger.sql(), id));
    if (!lease) return false;
    ledger.forget_begun(lease->token);
    ledger.tell_lost(lease->worker, id);
    ledger.wake();
    return true;
}

void hear_of(Ledger& ledger, WorkerId worker) {
    ledger.sql().later(hear_of_sql, db::PgValues(number(worker), column_of(ledger.now())));
}

Result<void> bury_dead_workers(Ledger& ledger) {
    const Timestamp last = ledger.now() - ledger.limits().lease_duration;
    const db::PgRows dead = TRY(ledger.sql().run(bury_sql, db::PgValues(column_of(last))));
    for (int row = 0; row < dead.size(); ++row) {
        const std::int64_t worker = dead.integer(row, 0);
        const auto held = TRY(take_back_all(ledger, worker));
        if (held.empty()) continue;
        for (const std::int64_t id : held) ledger.tell_lost(worker, id);
        ledger.tell({.what = Event::What::worker_died,
                     .url = std::string(dead.text(row, 1)),
                     .status = static_cast<int>(held.size())});
    }
    return {};
}

Answer<void> retire_worker(Ledger& ledger, WorkerId worker) {
    // A claim whose answer was lost may still be under way.
    TRY(ledger.sql().run(lock_worker_sql, db::PgValues(number(worker))));
    TRY(take_back_all(ledger, number(worker)));
    TRY(ledger.sql().run(forget_worker_sql, db::PgValues(number(worker))));
    return Result<void>{};
}

Answer<WorkerId> register_worker(Ledger& ledger, const std::string& name) {
    const std::int64_t id = TRY(ledger.new_id());
    TRY(ledger.sql().run(register_sql, db::PgValues(id, name, column_of(ledger.now()))));
    return WorkerId(id);
}

Answer<std::vector<JobId>> beat(Ledger& ledger, WorkerId id, std::span<const Progress> progress) {
    TRY(bury_dead_workers(ledger));
    TRY(ledger.flush());
    const db::PgRows rows =
        TRY(ledger.sql().run(beat_sql, db::PgValues(number(id), column_of(ledger.now()))));
    if (rows.empty()) return refuse<std::vector<JobId>>(ErrorCode::not_found, "unknown worker");
    std::vector<JobId> lost = ids_in(rows.text(0, 0));
    TRY(save_progress(ledger, progress, lost));
    TRY(save_begun(ledger, std::chrono::milliseconds(0)));
    std::ranges::sort(lost);
    const auto repeated = std::ranges::unique(lost);
    lost.erase(repeated.begin(), repeated.end());
    return lost;
}

Answer<void> release(Ledger& ledger, std::span<const LeaseRef> leases) {
    db::PgIntegers ids, tokens;
    for (const LeaseRef& lease : leases) {
        ids.emplace_back(number(lease.id));
        tokens.emplace_back(number(lease.token));
    }
    TRY(lock_groups_of(ledger, groups_leased_sql, db::PgValues(ids)));
    for (JobRow& row : TRY(take_leases(ledger.sql(), ids, tokens)))
        TRY(take_back(ledger, std::move(row), Cause::released));
    for (LeasedUrl& url : TRY(take_url_leases(ledger.sql(), ids, tokens)))
        TRY(take_back(ledger, std::move(url), Cause::released));
    for (LeasedChange& change : TRY(take_change_leases(ledger.sql(), ids, tokens)))
        TRY(take_back(ledger, std::move(change), Cause::released));
    ledger.wake();
    return Result<void>{};
}

}  // namespace quarry::store::postgres
