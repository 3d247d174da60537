#include "store/postgres/leasing.h"

#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "store/columns.h"
#include "store/postgres/due.h"

namespace quarry::store::postgres {

namespace {

// Nobody buries a worker while it claims: what it would be given then, nobody would take back. Its beats do
// not wait for this lock.
constexpr db::PgStatement hold_worker_sql{"hold_worker", R"sql(
    select pg_current_xact_id()::text, is_dead or beat_at + 1000 <= quarry.now_ms() from quarry.worker
    where id = $1 for key share)sql"};
// Whoever asks for work is alive. Written down only now and then.
constexpr db::PgStatement alive_sql{"worker_is_alive",
                                    "update quarry.worker set beat_at = $2, is_dead = false where id = $1"};

// How much room the owner has who has the least, and how many workers could fill it (owner_room.h).
constexpr db::PgStatement least_room_sql{"least_room", R"sql(
    select coalesce(min(coalesce(o.running_jobs, $1) - t.running), $1)::bigint,
           (select greatest(2, count(*)) from quarry.worker where not is_dead)
    from (select owner, sum(running_jobs) as running from quarry.tally group by owner) t
         join quarry.owner o on o.id = t.owner)sql"};

// Owners who may reach their limit by this claim and those that others make meanwhile are locked, so that two
// workers do not fill the same place. If there are none, nobody's places need to be counted.
constexpr db::PgStatement lock_owners_sql{"lock_owners_near_limit", R"sql(
    select owner.id from quarry.owner
    where owner.id in (select t.owner from quarry.tally t join quarry.owner o on o.id = t.owner
                       group by t.owner, o.running_jobs
                       having sum(t.running_jobs)
                              + $1 * greatest(2, (select count(*) from quarry.worker where not is_dead))
                              > coalesce(o.running_jobs, $2))
    order by owner.id for update)sql"};

struct Walk {
    std::string_view condition, order;
};
constexpr Walk next_walk{"(priority, turn, id) >= ($6::int4, $7, $8)", "priority, turn, id"};
constexpr Walk oldest_walk{"$6::int4 is not null and $7::int8 is not null and id >= $8", "id"};

// The claim: a walk along an index from where the last one ended, past rows that others are claiming.
// `taken` is a CTE `d` of rows that were taken out of line, with a token if they are to run.
std::string claim_text(const Walk& walk, std::string_view taken) {
    return fmt::format(R"sql(
    with c as materialized (select ctid, id, owner, priority, turn from quarry.ready
                            where kind = $1::int2 and {} order by {} limit $2 for update skip locked),
    {},
    l as (insert into quarry.lease(id, token, worker, kind, priority, owner, grp, attempts, max_attempts, stalls,
                                   zero_retention, created_at, leased_at, run_at, start_by, deadline, unique_key,
                                   last_error)
          select id, token, $3, kind, priority, owner, grp, attempts, max_attempts, stalls, zero_retention,
                 created_at, $4, run_at, start_by, deadline, unique_key, last_error from d where token is not null),
    t as (insert into quarry.tally(owner, stripe, running_jobs)
          select owner, pg_backend_pid() % 64, count(*) from d where token is not null group by owner order by owner
          on conflict (owner, stripe) do update set running_jobs = tally.running_jobs + excluded.running_jobs)
    select d.id, d.token, d.owner, d.grp, d.attempts, d.max_attempts, d.stalls, d.deadline, d.priority, d.turn,
           payload.body
    from d left join quarry.payload on payload.id = d.id and d.token is not null)sql",
                       walk.condition, walk.order, taken);
}

// When everybody has places.
constexpr std::string_view take_all = R"sql(
    d as (delete from quarry.ready using c where ready.ctid = c.ctid and $5::int8 is not null
          returning ready.*, quarry.new_token() as token))sql";
// Jobs of an owner who has no place left are put aside on the way, so that nobody has to walk past them
// again.
constexpr std::string_view take_within_limits = R"sql(
    rooms as materialized (
        select o.id, coalesce(o.running_jobs, $5)
               - coalesce((select sum(t.running_jobs) from quarry.tally t where t.owner = o.id), 0) as room
        from quarry.owner o where o.id in (select owner from c)),
    places as materialized (
        select c.ctid, row_number() over (partition by owner order by priority, turn, c.id) as place, room
        from c join rooms on rooms.id = c.owner),
    d as (delete from quarry.ready using places where ready.ctid = places.ctid
          returning ready.*, case when places.place <= places.room then quarry.new_token() end as token),
    p as (insert into quarry.parked(id, kind, priority, reason, turn, owner, grp, attempts, max_attempts, stalls,
                                    zero_retention, created_at, run_at, start_by, deadline, unique_key, last_error)
          select id, kind, priority, 2, turn, owner, grp, attempts, max_attempts, stalls, zero_retention,
                 created_at, run_at, start_by, deadline, unique_key, last_error from d where token is null))sql";

const std::string claim_next = claim_text(next_walk, take_all);
const std::string claim_oldest = claim_text(oldest_walk, take_all);
const std::string claim_next_within = claim_text(next_walk, take_within_limits);
const std::string claim_oldest_within = claim_text(oldest_walk, take_within_limits);

struct ClaimStatements {
    db::PgStatement next, oldest;
};
const ClaimStatements claim_sql{{"claim_jobs", claim_next.c_str()},
                                {"claim_oldest_jobs", claim_oldest.c_str()}};
const ClaimStatements claim_within_sql{{"claim_jobs_within_limits", claim_next_within.c_str()},
                                       {"claim_oldest_jobs_within_limits", claim_oldest_within.c_str()}};

// One job in so many is the oldest whatever its priority.
constexpr std::uint64_t oldest_every = 16;

class JobClaim {
public:
    JobClaim(Ledger& ledger, const Demand& demand, const Demand::Kind& kind, const ClaimStatements& sql)
        : ledger_(ledger), demand_(demand), kind_(kind), sql_(sql) {}

    Result<void> run(std::vector<JobLease>& jobs) {
        id_ = TRY(ledger_.names().kind(kind_.kind));
        begin_ = ledger_.process().claims.begin_of(id_);
        heads_ = begin_.heads;
        const auto wanted = static_cast<std::uint64_t>(kind_.slots);
        const std::uint64_t oldest = (begin_.count + wanted) / oldest_every - begin_.count / oldest_every;
        const std::size_t before = jobs.size();
        TRY(claim_next(wanted - oldest, jobs));
        TRY(claim_oldest(oldest, jobs));
        const std::uint64_t got = jobs.size() - before;
        ledger_.process().claims.count(id_, std::min(got + 1, wanted));
        ledger_.claimed(id_, begin_, heads_);
        return {};
    }

private:
    // Rows in their order.
    struct Claimed {
        struct Row {
            Place place{};
            int index = 0;
        };
        db::PgRows answer{};
        std::vector<Row> rows{};
    };

    Result<void> claim_next(std::uint64_t count, std::vector<JobLease>& jobs) {
        for (bool is_last = false; count > 0 && !is_last;) {
            const Claimed claimed = TRY(claim(sql_.next, count, heads_.next));
            is_last = claimed.rows.size() < count;
            count -= TRY(add(claimed, jobs));
            if (!claimed.rows.empty()) heads_.next = claimed.rows.back().place;
        }
        return {};
    }
    Result<void> claim_oldest(std::uint64_t count, std::vector<JobLease>& jobs) {
        for (bool is_last = false; count > 0 && !is_last;) {
            Claimed claimed = TRY(claim(sql_.oldest, count, {.id = heads_.oldest}));
            is_last = claimed.rows.size() < count;
            std::ranges::sort(claimed.rows, {}, [](const Claimed::Row& row) { return row.place.id; });
            count -= TRY(add(claimed, jobs));
            if (!claimed.rows.empty()) heads_.oldest = claimed.rows.back().place.id;
        }
        return {};
    }

    Result<Claimed> claim(const db::PgStatement& sql, std::uint64_t count, const Place& from) {
        Claimed claimed;
        claimed.answer = TRY(ledger_.sql().run(
            sql, db::PgValues(id_, static_cast<std::int64_t>(count), number(demand_.worker),
                              column_of(ledger_.now()), ledger_.limits().running_jobs_per_owner,
                              from.priority, from.turn, from.id)));
        for (int index = 0; index < claimed.answer.size(); ++index) {
            const db::PgRow row(claimed.answer, index);
            claimed.rows.push_back({{row.integer(8), row.integer(9), row.integer(0)}, index});
        }
        std::ranges::sort(claimed.rows, {}, &Claimed::Row::place);
        return claimed;
    }
    // How many of them run: an owner may have no place.
    Result<std::uint64_t> add(const Claimed& claimed, std::vector<JobLease>& jobs) {
        const std::size_t before = jobs.size();
        for (const Claimed::Row& place : claimed.rows) {
            const db::PgRow row(claimed.answer, place.index);
            if (!row.is_null(1)) jobs.push_back(TRY(lease_of(row)));
        }
        return jobs.size() - before;
    }

    Result<JobLease> lease_of(const db::PgRow& row) {
        JobLease lease{.lease = {JobId(row.integer(0)), Token(row.integer(1))},
                       .kind = kind_.kind,
                       .payload = std::string(row.text(10)),
                       .attempt = static_cast<int>(row.integer(4)) + 1,
                       .max_attempts = static_cast<int>(row.integer(5)),
                       .stalls = static_cast<int>(row.integer(6)),
                       .deadline = time_of(row.optional_integer(7))};
        lease.owner = TRY(ledger_.names().owner_name(row.integer(2)));
        if (!row.is_null(3)) lease.group = GroupId(row.integer(3));
        return lease;
    }

    Ledger& ledger_;
    const Demand& demand_;
    const Demand::Kind& kind_;
    const ClaimStatements& sql_;
    std::int64_t id_ = 0;
    Claims::Begin begin_{};
    Heads heads_{};
};

int slots_of(const Demand& demand) {
    int slots = 0;
    for (const Demand::Kind& kind : demand.kinds) slots += std::max(kind.slots, 0);
    return slots;
}

Result<void> lease_jobs(Ledger& ledger, const Demand& demand, const ClaimStatements& sql, Leased& leased) {
    for (const Demand::Kind& kind : demand.kinds) {
        if (kind.slots > 0) TRY(JobClaim(ledger, demand, kind, sql).run(leased.jobs));
    }
    return {};
}

}  // namespace

Claim claim_of(const Ledger& ledger, const Leased& leased) {
    Claim claim{.transaction = ledger.transaction()};
    for (const JobLease& job : leased.jobs) claim.leases.push_back(job.lease);
    for (const UrlLease& url : leased.urls) claim.leases.push_back(url.lease);
    for (const ChangeLease& change : leased.changes) claim.leases.push_back(change.lease);
    return claim;
}

void ask_before_leasing(db::PgBatch& batch, const Demand& demand, const Process& process) {
    look_what_is_due(batch, demand.worker);
    batch.add(hold_worker_sql, db::PgValues(number(demand.worker)));
    const int slots = slots_of(demand);
    if (slots == 0 || process.room.is_ample(slots)) return;
    batch.add(lock_owners_sql, db::PgValues(slots, process.limits.running_jobs_per_owner));
    if (OwnerRoom::could_be_ample(process.limits.running_jobs_per_owner, slots))
        batch.add(least_room_sql, db::PgValues(process.limits.running_jobs_per_owner));
}

Answer<Leased> lease(Ledger& ledger, const Demand& demand, std::span<const db::PgRows> asked,
                     bool has_backlog) {
    const db::PgRows& held = asked[1];
    if (held.empty()) return refuse<Leased>(ErrorCode::not_found, "unknown worker");
    ledger.set_transaction(std::string(held.text(0, 0)));
    if (held.boolean(0, 1))
        ledger.sql().later(alive_sql, db::PgValues(number(demand.worker), column_of(ledger.now())));
    if (has_backlog) TRY(ledger.promote_backlog());
    Leased leased;
    const bool is_near_limit = asked.size() > 2 && !asked[2].empty();
    if (asked.size() > 3) ledger.process().room.set(asked[3].integer(0, 0), asked[3].integer(0, 1));
    TRY(lease_jobs(ledger, demand, is_near_limit ? claim_within_sql : claim_sql, leased));
    if (demand.urls > 0) TRY(lease_urls(ledger, demand, leased));
    if (demand.changes > 0) TRY(lease_changes(ledger, demand, leased));
    return leased;
}

}  // namespace quarry::store::postgres
