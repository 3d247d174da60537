#include "store/postgres/writing/leasing.h"

#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "store/rows/columns.h"

namespace quarry::store::postgres {

namespace {

struct Walk {
    std::string_view condition, order;
};
constexpr Walk next_walk{"(priority, turn, id) >= ($5::int4, $6, $7)", "priority, turn, id"};
constexpr Walk oldest_walk{"$5::int4 is not null and $6::int8 is not null and id >= $7", "id"};

// The claim: a walk along an index from where the last one ended, past rows that others are claiming.
// `taken` is a CTE `d` of rows that were taken out of line, with a token if they are to run.
std::string claim_text(const Walk& walk, std::string_view taken) {
    return fmt::format(R"sql(
    with c as materialized (select ctid, id, owner, priority, turn from quarry.ready
                            where kind = $1::int2 and {} order by {} limit $2 for update skip locked),
    {},
    l as (insert into quarry.lease(id, token, worker, kind, priority, owner, grp, attempts, max_attempts, stalls,
                                   zero_retention, created_at, leased_at, run_at, start_by, deadline, unique_key,
                                   last_error, snoozes)
          select id, token, $3, kind, priority, owner, grp, attempts, max_attempts, stalls, zero_retention,
                 created_at, (select quarry.now_ms()), run_at, start_by, deadline, unique_key, last_error,
                 snoozes
          from d where token is not null),
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
    d as (delete from quarry.ready using c where ready.ctid = c.ctid and $4::int8 is not null
          returning ready.*, quarry.new_token() as token))sql";
// Jobs of an owner who has no place left are put aside on the way, so that nobody has to walk past them
// again.
constexpr std::string_view take_within_limits = R"sql(
    rooms as materialized (
        select o.id, coalesce(o.running_jobs, $4)
               - coalesce((select sum(t.running_jobs) from quarry.tally t where t.owner = o.id), 0) as room
        from quarry.owner o where o.id in (select owner from c)),
    places as materialized (
        select c.ctid, row_number() over (partition by owner order by priority, turn, c.id) as place, room
        from c join rooms on rooms.id = c.owner),
    d as (delete from quarry.ready using places where ready.ctid = places.ctid
          returning ready.*, case when places.place <= places.room then quarry.new_token() end as token),
    p as (insert into quarry.parked(id, kind, priority, reason, turn, owner, grp, attempts, max_attempts, stalls,
                                    zero_retention, created_at, run_at, start_by, deadline, unique_key, last_error,
                                    snoozes)
          select id, kind, priority, 2, turn, owner, grp, attempts, max_attempts, stalls, zero_retention,
                 created_at, run_at, start_by, deadline, unique_key, last_error, snoozes from d where token is null))sql";

const std::string claim_next = claim_text(next_walk, take_all);
const std::string claim_oldest = claim_text(oldest_walk, take_all);
const std::string claim_next_within = claim_text(next_walk, take_within_limits);
const std::string claim_oldest_within = claim_text(oldest_walk, take_within_limits);

const JobClaim::Statements far_from_limits{{"claim_jobs", claim_next.c_str()},
                                           {"claim_oldest_jobs", claim_oldest.c_str()}};
const JobClaim::Statements near_limits{{"claim_jobs_within_limits", claim_next_within.c_str()},
                                       {"claim_oldest_jobs_within_limits", claim_oldest_within.c_str()}};

// One job in so many is the oldest whatever its priority.
constexpr std::uint64_t oldest_every = 16;

}  // namespace

JobClaim::JobClaim(Process& process, WorkerId worker, const Demand::Kind& kind, std::int64_t id,
                   Limits limits)
    : process_(&process), worker_(worker), kind_(kind), id_(id), begin_(process.claims.begin_of(id)) {
    const Statements& sql = limits == Limits::far ? far_from_limits : near_limits;
    next_ = {.sql = &sql.next, .before = in_turn, .head = begin_.heads.next};
    oldest_ = {.sql = &sql.oldest, .before = by_age, .head = {.id = begin_.heads.oldest}};
    const auto wanted = static_cast<std::uint64_t>(kind_.slots);
    oldest_.wanted = (begin_.count + wanted) / oldest_every - begin_.count / oldest_every;
    next_.wanted = wanted - oldest_.wanted;
}

db::PgValues JobClaim::values(const Line& line) const {
    return db::PgValues(id_, static_cast<std::int64_t>(line.wanted), number(worker_),
                        process_->limits.running_jobs_per_owner, line.head.priority, line.head.turn,
                        line.head.id);
}

void JobClaim::ask(db::PgBatch& batch) const {
    for (const Line* line : {&next_, &oldest_})
        if (line->wanted > 0) batch.add(*line->sql, values(*line));
}

Result<void> JobClaim::take(Ledger& ledger, std::span<const db::PgRows>& answers,
                            std::vector<JobLease>& jobs) {
    const std::size_t had = jobs.size();
    for (Line* line : {&next_, &oldest_}) {
        if (line->wanted == 0) continue;
        TRY(take(*line, ledger, answers.front(), jobs));
        answers = answers.subspan(1);
    }
    const std::uint64_t got = jobs.size() - had;
    process_->claims.count(id_, std::min(got + 1, static_cast<std::uint64_t>(kind_.slots)));
    ledger.claimed(id_, begin_, {.next = next_.head, .oldest = oldest_.head.id});
    return {};
}

Result<void> JobClaim::take(Line& line, Ledger& ledger, const db::PgRows& first,
                            std::vector<JobLease>& jobs) const {
    db::PgRows more;
    for (const db::PgRows* answer = &first;; answer = &more) {
        const std::vector<Row> rows = in_order(*answer, line.before);
        const bool is_last = rows.size() < line.wanted;
        line.wanted -= TRY(add(ledger, *answer, rows, jobs));
        if (!rows.empty()) line.head = rows.back().place;
        if (is_last || line.wanted == 0) return {};
        more = TRY(ledger.sql().run(*line.sql, values(line)));
    }
}

std::vector<JobClaim::Row> JobClaim::in_order(const db::PgRows& answer, Before before) {
    std::vector<Row> rows;
    for (int index = 0; index < answer.size(); ++index) {
        const db::PgRow row(answer, index);
        rows.push_back({{row.integer(8), row.integer(9), row.integer(0)}, index});
    }
    std::ranges::sort(rows, before);
    return rows;
}

bool JobClaim::in_turn(const Row& a, const Row& b) {
    return a.place < b.place;
}
bool JobClaim::by_age(const Row& a, const Row& b) {
    return a.place.id < b.place.id;
}

Result<std::uint64_t> JobClaim::add(Ledger& ledger, const db::PgRows& answer, std::span<const Row> rows,
                                    std::vector<JobLease>& jobs) const {
    const std::size_t before = jobs.size();
    for (const Row& place : rows) {
        const db::PgRow row(answer, place.index);
        if (!row.is_null(1)) jobs.push_back(TRY(lease_of(ledger, row)));
    }
    return jobs.size() - before;
}

Result<JobLease> JobClaim::lease_of(Ledger& ledger, const db::PgRow& row) const {
    JobLease lease{.lease = {JobId(row.integer(0)), Token(row.integer(1))},
                   .kind = kind_.kind,
                   .payload = std::string(row.text(10)),
                   .attempt = static_cast<int>(row.integer(4)) + 1,
                   .max_attempts = static_cast<int>(row.integer(5)),
                   .stalls = static_cast<int>(row.integer(6)),
                   .deadline = time_of(row.optional_integer(7))};
    lease.owner = TRY(ledger.names().owner_name(row.integer(2)));
    if (!row.is_null(3)) lease.group = GroupId(row.integer(3));
    return lease;
}

}  // namespace quarry::store::postgres
