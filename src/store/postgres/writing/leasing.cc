#include "store/postgres/writing/leasing.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "store/postgres/tables/outbox.h"
#include "store/postgres/writing/operations.h"
#include "store/rows/columns.h"

namespace quarry::store::postgres {

namespace {

struct Walk {
    std::string_view condition, order;
};
constexpr Walk next_walk{"(priority, turn, id) >= ($5::int4, $6, $7)", "priority, turn, id"};
constexpr Walk oldest_walk{"$5::int4 is not null and $6::int8 is not null and id >= $7", "id"};

// The text of a claim. A claim walks along an index from where the last one ended, past rows that other
// transactions are claiming. `taken` is a CTE `d` of rows that were taken out of line, with a token if they
// are to run.
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

// For when every owner has places.
constexpr std::string_view take_all = R"sql(
    d as (delete from quarry.ready using c where ready.ctid = c.ctid and $4::int8 is not null
          returning ready.*, quarry.new_token() as token))sql";
// Jobs of an owner without a free place are put aside on the way, so that later claims need not walk past
// them.
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

// One claimed job in this many is the oldest, whatever its priority.
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

// Which changes of the outbox a worker gets next: by priority, then by age, from one collection or from all.

namespace {

// A change whose page is being indexed waits until that lease has ended.
std::string claim_text(std::string_view condition) {
    return fmt::format(R"sql(
    with c as materialized (select id, page, priority from quarry.change_ready r
                            where {} and not exists (select 1 from quarry.change_lease l where l.page = r.page)
                            order by priority, id limit $1 for update skip locked),
    firsts as (select distinct on (page) id, page from c order by page, priority, id),
    d as (delete from quarry.change_ready using firsts where change_ready.id = firsts.id returning change_ready.id),
    l as (insert into quarry.change_lease(id, token, worker, page, leased_at)
          select firsts.id, quarry.new_token(), $2, firsts.page, $3 from firsts join d on d.id = firsts.id
          returning id, token)
    select l.token, {} from l join quarry.outbox o on o.id = l.id order by o.priority, o.id)sql",
                       condition, CHANGE_COLUMNS);
}

const std::string claim_of_all = claim_text("$4::text is not null");
const std::string claim_of_one = claim_text("collection = $4");
const db::PgStatement claim_sql{"claim_changes", claim_of_all.c_str()};
const db::PgStatement claim_of_collection_sql{"claim_changes_of_collection", claim_of_one.c_str()};

ChangeLease lease_of(const db::PgRow& row, int max_attempts) {
    ChangeRow change = change_of(row, 1);
    ChangeLease lease{.lease = {JobId(change.id), Token(row.integer(0))},
                      .page = PageId(change.page),
                      .version = change.version,
                      .collection = std::move(change.collection),
                      .url = std::move(change.url),
                      .priority = change.priority,
                      .attempt = change.attempts + 1,
                      .max_attempts = max_attempts,
                      .snoozes = change.snoozes};
    if (change.content) lease.content = ContentId(*change.content);
    if (change.group != 0) lease.group = GroupId(change.group);
    return lease;
}

}  // namespace

Result<void> lease_changes(Ledger& ledger, const Demand& demand, Leased& leased) {
    const db::PgStatement& sql = demand.change_collection.empty() ? claim_sql : claim_of_collection_sql;
    const db::PgRows rows =
        TRY(ledger.sql().run(sql, db::PgValues(demand.changes, number(demand.worker), column_of(ledger.now()),
                                               demand.change_collection)));
    for (int row = 0; row < rows.size(); ++row)
        leased.changes.push_back(lease_of(db::PgRow(rows, row), ledger.limits().change_attempts));
    return {};
}

namespace {

// No process may declare a worker dead while the worker claims: nobody would take back what the worker then
// receives. The worker's beats do not wait for this lock.
constexpr db::PgStatement hold_worker_sql{"hold_worker", R"sql(
    select pg_current_xact_id()::text, is_dead or beat_at + 1000 <= quarry.now_ms() from quarry.worker
    where id = $1 for key share)sql"};

// The room of the owner who has the least, and how many workers could fill it (process_memory.h).
constexpr db::PgStatement least_room_sql{"least_room", R"sql(
    select coalesce(min(coalesce(o.running_jobs, $1) - t.running), $1)::bigint,
           (select greatest(2, count(*)) from quarry.worker where not is_dead)
    from (select owner, sum(running_jobs) as running from quarry.tally group by owner) t
         join quarry.owner o on o.id = t.owner)sql"};

// Locks the owners who may reach their limit through this claim and concurrent ones, so that two workers do
// not fill the same place. If there are none, no places need to be counted.
constexpr db::PgStatement lock_owners_sql{"lock_owners_near_limit", R"sql(
    select owner.id from quarry.owner
    where owner.id in (select t.owner from quarry.tally t join quarry.owner o on o.id = t.owner
                       group by t.owner, o.running_jobs
                       having sum(t.running_jobs)
                              + $1 * greatest(2, (select count(*) from quarry.worker where not is_dead))
                              > coalesce(o.running_jobs, $2))
    order by owner.id for update)sql"};

int slots_of(const Demand& demand) {
    int slots = 0;
    for (const Demand::Kind& kind : demand.kinds) slots += std::max(kind.slots, 0);
    return slots;
}

}  // namespace

Claim claim_of(const Ledger& ledger, const Leased& leased) {
    Claim claim{.transaction = ledger.transaction()};
    for (const JobLease& job : leased.jobs) claim.leases.push_back(job.lease);
    for (const UrlLease& url : leased.urls) claim.leases.push_back(url.lease);
    for (const ChangeLease& change : leased.changes) claim.leases.push_back(change.lease);
    return claim;
}

void Leasing::ask(db::PgBatch& batch, Begin begin) {
    claims_.clear();
    batch.add(hold_worker_sql, db::PgValues(number(demand_.worker)));
    const int slots = slots_of(demand_);
    if (slots == 0) return;
    if (process_.room.is_ample(slots)) {
        if (begin == Begin::at_once && are_kinds_known()) (void)claim_jobs(batch, Limits::far);
        return;
    }
    const std::int64_t limit = process_.limits.running_jobs_per_owner;
    batch.add(lock_owners_sql, db::PgValues(slots, limit));
    if (OwnerRoom::could_be_ample(limit, slots)) batch.add(least_room_sql, db::PgValues(limit));
}

bool Leasing::are_kinds_known() const {
    return std::ranges::all_of(demand_.kinds, [&](const Demand::Kind& kind) {
        return kind.slots <= 0 || process_.names.known_kind(kind.kind);
    });
}

// Fails only if the database has to be asked for a kind and does not answer.
Result<void> Leasing::claim_jobs(db::PgBatch& batch, Limits limits) {
    for (const Demand::Kind& kind : demand_.kinds) {
        if (kind.slots <= 0) continue;
        const std::int64_t id = TRY(process_.names.kind(kind.kind));
        claims_.emplace_back(process_, demand_.worker, kind, id, limits).ask(batch);
    }
    return {};
}

Result<void> Leasing::lease_jobs(Ledger& ledger, std::span<const db::PgRows> asked, Leased& leased) {
    if (slots_of(demand_) == 0) return {};
    std::vector<db::PgRows> own;
    if (claims_.empty()) {
        if (asked.size() > 1) process_.room.set(asked[1].integer(0, 0), asked[1].integer(0, 1));
        db::PgBatch batch(ledger.sql());
        TRY(claim_jobs(batch, asked.empty() || asked[0].empty() ? Limits::far : Limits::near));
        own = TRY(batch.run());
        asked = own;
    }
    for (JobClaim& claim : claims_) TRY(claim.take(ledger, asked, leased.jobs));
    return {};
}

Answer<Leased> Leasing::lease(Ledger& ledger, std::span<const db::PgRows> asked, bool has_backlog) {
    const db::PgRows& held = asked.front();
    if (held.empty()) return refuse<Leased>(ErrorCode::not_found, "unknown worker");
    ledger.set_transaction(std::string(held.text(0, 0)));
    // A worker that asks for work is alive. This is written down only now and then.
    if (held.boolean(0, 1)) hear_of(ledger, demand_.worker);
    if (has_backlog) TRY(ledger.promote_backlog());
    Leased leased;
    TRY(lease_jobs(ledger, asked.subspan(1), leased));
    if (demand_.urls > 0) TRY(lease_urls(ledger, demand_, leased));
    if (demand_.changes > 0) TRY(lease_changes(ledger, demand_, leased));
    return leased;
}

bool Claimer::is_for_others(const Due& due) const {
    if (!due.since || !due.leader || *due.leader == leadership_.id()) return false;
    return transactor_.now() - *due.since < Leadership::grace;
}

Result<Leased> Claimer::lease(const Demand& demand) {
    TRY(give_back_unconfirmed());
    auto leased = TRY(claim(demand, WhatIsDue::first));
    if (leased) return *std::move(leased);
    const auto do_it = [&](Ledger& ledger) -> Answer<void> {
        TRY(leadership_.lead(ledger));
        return do_what_is_due(ledger, demand.worker);
    };
    TRY(transactor_.run<void>(Durability::later, do_it));
    return *TRY(claim(demand, WhatIsDue::is_done));
}

// Nothing if this process has to do first what is due. A claim whose answer is lost may have been committed
// all the same. Then no handler runs for its leases, and since the worker is alive, no process would take
// them back.
Result<std::optional<Leased>> Claimer::claim(const Demand& demand, WhatIsDue if_due) {
    Claim attempt;
    const auto set_aside = [&] {
        if (attempt.leases.empty()) return;
        unconfirmed_.with([&](auto& claims) { claims.push_back(std::exchange(attempt, {})); });
    };
    Process& process = transactor_.process();
    Leasing leasing(process, demand);
    // The result of the last check is not reused when a test moves the clock.
    const std::optional<Due> known =
        transactor_.has_own_clock() ? std::nullopt : last_look_.at(transactor_.now());
    const auto ask = [&](db::PgBatch& batch) {
        if (!known) look_what_is_due(batch);
        const bool at_once = known && !known->has_backlog;
        leasing.ask(batch, at_once ? Leasing::Begin::at_once : Leasing::Begin::later);
    };
    const auto take = [&](Ledger& ledger) -> Answer<std::optional<Leased>> {
        set_aside();
        std::vector<db::PgRows> asked = ledger.take_opening();
        Due due = known ? *known : postgres::what_is_due(asked[0], process.limits, ledger.now());
        if (!known) {
            last_look_.set(due);
            asked.erase(asked.begin());
        }
        if (is_for_others(due)) {
            due.next = ledger.now() + Leadership::grace;
        } else if (due.now && if_due == WhatIsDue::first) {
            return Result<std::optional<Leased>>(std::nullopt);
        }
        Result<Leased> answer = TRY(leasing.lease(ledger, asked, due.has_backlog));
        if (!answer) return Result<std::optional<Leased>>(std::unexpected(answer.error()));
        attempt = claim_of(ledger, *answer);
        answer->next_due = earlier(answer->next_due, due.next);
        return Result<std::optional<Leased>>(*std::move(answer));
    };
    auto leased = transactor_.run<std::optional<Leased>>(Durability::later, take, ask);
    if (!leased) set_aside();
    return leased;
}

Result<void> Claimer::give_back_unconfirmed() {
    const auto give_back = [&](const Claim& claim) -> Result<bool> {
        {
            auto connection = TRY(transactor_.borrow());
            if (TRY(is_running(*connection, claim.transaction))) {
                TRY(end_transaction(*connection, claim.transaction));
                return false;
            }
        }
        TRY(transactor_.run<void>(Durability::later,
                                  [&](Ledger& ledger) { return release(ledger, claim.leases); }));
        return true;
    };
    Result<void> all;
    for (Claim& claim : unconfirmed_.with([](auto& waiting) { return std::exchange(waiting, {}); })) {
        const auto is_back = give_back(claim);
        if (is_back && *is_back) continue;
        if (!is_back) all = std::unexpected(is_back.error());
        unconfirmed_.with([&](auto& waiting) { waiting.push_back(std::move(claim)); });
    }
    return all;
}

}  // namespace quarry::store::postgres
