#include "store/postgres/ledger.h"

#include <algorithm>

#include "store/postgres/writing/operations.h"
#include "store/rows/columns.h"

namespace quarry::store::postgres {

namespace {

constexpr db::PgStatement new_ids_sql{"new_ids", "select nextval('quarry.id') from generate_series(1, $1)"};

// So many at once for a transaction that has asked before: each question is a round trip.
constexpr std::size_t many_ids = 64;

constexpr db::PgStatement insert_payloads_sql{
    "insert_payloads", "insert into quarry.payload(id, body) select * from unnest($1::bigint[], $2::text[])"};

constexpr db::PgStatement forget_keys_sql{"forget_keys",
                                          "delete from quarry.job_key where key = any($1::text[])"};

// Each connection has its stripe, so that two transactions rarely wait for each other.
constexpr db::PgStatement add_tallies_sql{"add_tallies", R"sql(
    insert into quarry.tally(owner, stripe, open_jobs, running_jobs, running_urls)
    select owner, pg_backend_pid() % 64, open_jobs, running_jobs, running_urls
    from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[])
        as u(owner, open_jobs, running_jobs, running_urls)
    order by owner
    on conflict (owner, stripe) do update set open_jobs = tally.open_jobs + excluded.open_jobs,
        running_jobs = tally.running_jobs + excluded.running_jobs,
        running_urls = tally.running_urls + excluded.running_urls)sql"};

constexpr db::PgStatement add_usage_sql{"add_usage", R"sql(
    insert into quarry.usage(owner, day, pages)
    select owner, $3 / 86400000 * 86400000, pages from unnest($1::bigint[], $2::bigint[]) as u(owner, pages)
    order by owner on conflict (owner, day) do update set pages = usage.pages + excluded.pages)sql"};

constexpr db::PgStatement add_to_group_sql{"add_to_group", R"sql(
    update quarry.grp set indexed = indexed + $2, chunks = chunks + $3, fetch_us = fetch_us + $4,
                          extract_us = extract_us + $5, chunk_us = chunk_us + $6, embed_us = embed_us + $7,
                          index_us = index_us + $8, words_us = words_us + $9
    where id = $1)sql"};

// What went wrong last is of interest as long as something waits or has failed.
constexpr db::PgStatement count_changes_sql{"count_changes", R"sql(
    insert into quarry.outbox_count as c values ($1, $2, $3, $4, $5, $6, $7, coalesce($8, ''))
    on conflict (grp, collection) do update set
        queued = c.queued + excluded.queued, completed = c.completed + excluded.completed,
        failed = c.failed + excluded.failed, cancelled = c.cancelled + excluded.cancelled,
        paused = c.paused + excluded.paused,
        last_error = case when c.queued + excluded.queued = 0 and c.failed + excluded.failed = 0 then ''
                          else coalesce($8, c.last_error) end)sql"};
constexpr db::PgStatement forget_count_sql{"forget_count", R"sql(
    delete from quarry.outbox_count where grp = $1 and collection = $2
        and queued + completed + failed + cancelled + paused = 0)sql"};

// When the last URL of a host is given back, the host belongs to nobody.
constexpr db::PgStatement free_hosts_sql{"free_hosts", R"sql(
    with u as materialized (select * from unnest($1::bigint[], $2::bigint[]) as u(id, urls)),
         locked as materialized (select host.id from quarry.host join u using (id) order by host.id for update of host)
    update quarry.host set held = greatest(host.held - u.urls, 0),
                           holder = case when host.held > u.urls then host.holder end,
                           freed_at = case when host.held > u.urls then host.freed_at else $3 end
    from u join locked using (id) where host.id = u.id)sql"};

constexpr db::PgStatement tell_lost_sql{"tell_lost",
                                        "update quarry.worker set lost = lost || $2::bigint[] where id = $1"};

// Jobs that were passed over because their owner had no place, in the order in which they would have run.
// The owners that have some are found one by one, since there may be a million jobs of each.
constexpr db::PgStatement promote_sql{"promote_backlog", R"sql(
    with recursive waiting(id) as (
        select min(owner) from quarry.parked where reason = 2
        union all
        select (select min(owner) from quarry.parked where reason = 2 and owner > waiting.id)
        from waiting where waiting.id is not null),
    owners as (
        select owner.id, coalesce(owner.running_jobs, $1)
               - coalesce((select sum(running_jobs) from quarry.tally where tally.owner = owner.id), 0) as room
        from quarry.owner join waiting on waiting.id = owner.id),
    chosen as materialized (
        select p.id from owners cross join lateral (
            select id from quarry.parked where reason = 2 and owner = owners.id
            order by priority, turn, id limit greatest(owners.room, 0) for update skip locked) p),
    taken as (delete from quarry.parked using chosen where parked.id = chosen.id returning parked.*)
    insert into quarry.ready(id, kind, priority, turn, owner, grp, attempts, max_attempts, stalls, zero_retention,
                             created_at, run_at, start_by, deadline, unique_key, last_error, snoozes)
    select id, kind, priority, coalesce(turn, 0), owner, grp, attempts, max_attempts, stalls, zero_retention,
           created_at, run_at, start_by, deadline, unique_key, last_error, snoozes from taken)sql"};

}  // namespace

std::size_t Ledger::ask_for_ids(db::PgBatch& batch, std::size_t count) {
    return batch.add(new_ids_sql, db::PgValues(static_cast<std::int64_t>(count)));
}

void Ledger::keep_ids(const db::PgRows& rows) {
    for (int row = 0; row < rows.size(); ++row) ids_.push_back(rows.integer(row, 0));
}

Result<std::vector<std::int64_t>> Ledger::new_ids(std::size_t count) {
    if (ids_.size() < count) {
        const auto asked = static_cast<std::int64_t>(std::max(count - ids_.size(), ids_at_once_));
        keep_ids(TRY(sql_.run(new_ids_sql, db::PgValues(asked))));
        ids_at_once_ = many_ids;  // who asks twice asks often
    }
    const auto end = ids_.begin() + static_cast<std::ptrdiff_t>(count);
    std::vector<std::int64_t> taken(ids_.begin(), end);
    ids_.erase(ids_.begin(), end);
    return taken;
}

Result<std::int64_t> Ledger::new_id() {
    return TRY(new_ids(1)).front();
}

Result<void> Ledger::lock_groups(const std::set<std::int64_t>& ids, IfLocked if_locked) {
    std::vector<std::int64_t> unknown;
    for (const std::int64_t id : ids) {
        if (id != 0 && !groups_.contains(id)) unknown.push_back(id);
    }
    if (unknown.empty()) return {};
    for (OpenGroup& group : TRY(postgres::lock_groups(sql_, unknown, if_locked))) {
        const std::int64_t id = group.id;
        groups_.emplace(id, std::move(group));
    }
    return {};
}

Result<OpenGroup*> Ledger::any_group(std::int64_t id) {
    if (id == 0) return nullptr;
    TRY(lock_groups({id}));
    const auto found = groups_.find(id);
    return found == groups_.end() ? nullptr : &found->second;
}

Result<OpenGroup*> Ledger::group(std::int64_t id) {
    OpenGroup* found = TRY(any_group(id));
    return found && !found->is_over() ? found : nullptr;
}

void Ledger::tell_group(const OpenGroup& group) {
    tell({.what = Event::What::group_changed, .group = GroupId(group.id), .state = group.state});
}

Result<void> Ledger::count_open_job(std::int64_t owner, std::int64_t group_id, int change) {
    tally_of_owner(owner).open_jobs += change;
    if (OpenGroup* of_job = TRY(group(group_id))) {
        of_job->counters.jobs_open += change;
        touch(*of_job);
    }
    return {};
}

Result<void> Ledger::end_job(JobEnd end) {
    TRY(count_open_job(end.row.owner, end.row.group, -1));
    std::optional<GroupId> of_group;
    if (end.row.group != 0) of_group = GroupId(end.row.group);
    tell({.what = Event::What::job_ended, .group = of_group, .id = JobId(end.row.id), .state = end.state});
    ended_.push_back(std::move(end));
    return {};
}

Result<Parking> Ledger::parking_of(const JobRow& row) {
    if (row.is_paused) return Parking::paused;
    if (row.group != 0) {
        const OpenGroup* of_job = TRY(group(row.group));
        if (!of_job || of_job->state != JobState::running) return Parking::group;
    }
    return row.run_at && *row.run_at > now_ ? Parking::time : Parking::no;
}

Result<void> Ledger::flush_jobs() {
    std::vector<JobRow> ready, parked;
    std::vector<std::int64_t> turns, reasons;
    std::map<Lane, std::int64_t> lanes;
    for (JobRow& row : std::exchange(line_, {})) {
        const Parking parking = TRY(parking_of(row));
        if (parking == Parking::no) {
            ++lanes[{row.kind, row.priority, row.owner, row.group}];
            ready.push_back(std::move(row));
        } else {
            reasons.push_back(static_cast<std::int64_t>(parking));
            parked.push_back(std::move(row));
        }
        news_.wakes = true;
    }
    std::vector<Lane> used;
    for (auto& [lane, count] : lanes) {
        count = TRY(process_.turns.take(sql_, lane, count));
        used.push_back(lane);
    }
    for (const JobRow& row : ready) {
        turns.push_back(lanes[{row.kind, row.priority, row.owner, row.group}]++);
        const Heads heads{{row.priority, turns.back(), row.id}, row.id};
        news_.jobs.add(row.kind, heads);
    }
    insert_ready(sql_, ready, turns);
    insert_parked(sql_, parked, reasons);
    if (!used.empty()) process_.turns.save(sql_, used);
    std::vector<std::string> keys;
    for (const JobEnd& end : ended_) {
        if (end.row.unique_key) keys.push_back(*end.row.unique_key);
    }
    insert_done(sql_, std::exchange(ended_, {}));
    if (!keys.empty()) sql_.later(forget_keys_sql, db::PgValues(keys));
    if (payloads_.empty()) return {};
    db::PgIntegers ids;
    db::PgTexts bodies;
    for (const auto& [id, body] : payloads_) {
        ids.emplace_back(id);
        bodies.emplace_back(body);
    }
    sql_.later(insert_payloads_sql, db::PgValues(ids, bodies));
    payloads_.clear();
    return {};
}

Result<void> Ledger::flush_owners() {
    db::PgIntegers ids, open, jobs, urls, fetchers, pages;
    for (const auto& [id, tally] : std::exchange(owners_, {})) {
        if (tally.open_jobs != 0 || tally.running_jobs != 0 || tally.running_urls != 0) {
            ids.emplace_back(id);
            open.emplace_back(tally.open_jobs);
            jobs.emplace_back(tally.running_jobs);
            urls.emplace_back(tally.running_urls);
        }
        if (tally.pages > 0) {
            fetchers.emplace_back(id);
            pages.emplace_back(tally.pages);
        }
        if (tally.running_jobs < 0) has_freed_owner_ = true;
    }
    if (!ids.empty()) sql_.later(add_tallies_sql, db::PgValues(ids, open, jobs, urls));
    if (!pages.empty()) sql_.later(add_usage_sql, db::PgValues(fetchers, pages, column_of(now_)));
    return std::exchange(has_freed_owner_, false) ? promote_backlog() : Result<void>{};
}

Result<void> Ledger::promote_backlog() {
    const db::PgRows promoted = TRY(sql_.run(promote_sql, db::PgValues(limits().running_jobs_per_owner)));
    if (promoted.affected() > 0) news_.wakes = news_.jobs.is_anywhere = true;
    return {};
}

void Ledger::flush_rest() {
    for (const auto& [id, tally] : std::exchange(groups_tally_, {})) {
        const Timings& spent = tally.timings;
        sql_.later(add_to_group_sql,
                   db::PgValues(id, tally.indexed, spent.chunks, std::int64_t{spent.fetch.count()},
                                std::int64_t{spent.extract.count()}, std::int64_t{spent.chunk.count()},
                                std::int64_t{spent.embed.count()}, std::int64_t{spent.index.count()},
                                std::int64_t{spent.words.count()}));
    }
    for (const auto& [key, tally] : std::exchange(changes_, {})) {
        const auto& [of_group, collection] = key;
        sql_.later(count_changes_sql,
                   db::PgValues(of_group, collection, tally.queued, tally.completed, tally.failed,
                                tally.cancelled, tally.paused, tally.last_error));
        const std::int64_t sum =
            tally.queued + tally.completed + tally.failed + tally.cancelled + tally.paused;
        if (sum < 0) sql_.later(forget_count_sql, db::PgValues(of_group, collection));
    }
    if (!freed_hosts_.empty()) {
        db::PgIntegers ids, urls;
        for (const auto& [id, count] : std::exchange(freed_hosts_, {})) {
            ids.emplace_back(id);
            urls.emplace_back(count);
        }
        sql_.later(free_hosts_sql, db::PgValues(ids, urls, column_of(now_)));
        news_.wakes = true;
    }
    for (const auto& [worker, ids] : std::exchange(lost_, {}))
        sql_.later(tell_lost_sql, db::PgValues(worker, ids));
}

Result<void> Ledger::flush() {
    TRY(flush_jobs());
    TRY(flush_owners());
    flush_rest();
    return {};
}

void Ledger::save_groups() {
    for (const std::int64_t id : dirty_groups_) {
        OpenGroup& group = groups_.at(id);
        save_group(sql_, group);
        group.is_dirty = false;
    }
    dirty_groups_.clear();
}

Result<void> Ledger::settle() {
    TRY(settle_groups(*this));
    // A group that ends makes room for another, which may have nothing to do and end too.
    while (std::exchange(groups_may_start_, false)) {
        TRY(flush_jobs());
        save_groups();
        TRY(start_waiting_groups(*this));
        TRY(settle_groups(*this));
    }
    return {};
}

Result<void> Ledger::before_commit() {
    // Others pass over a group that we have locked: whether it may begin is ours to see to.
    for (const auto& [id, group] : groups_)
        groups_may_start_ = groups_may_start_ || group.state == JobState::queued;
    TRY(settle());
    TRY(flush_jobs());
    save_groups();
    TRY(flush_owners());
    flush_rest();
    return {};
}

void Ledger::after_commit() {
    process_.begun.forget(ended_leases_);
    process_.begun.set_saved(saved_begun_);
    for (const auto& [kind, claim] : claimed_) process_.claims.ended_at(kind, claim.first, claim.second);
    process_.claims.has_come(news_.jobs);
    if (!forgets_known_ && admitted_.empty()) return;
    static std::mutex adding;  // KnownKeys is filled by one thread at a time
    const std::lock_guard lock(adding);
    if (forgets_known_) process_.known.clear();
    for (const auto& [id, key] : admitted_) process_.known.add(GroupId(id), key);
}

}  // namespace quarry::store::postgres
