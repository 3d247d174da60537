#include "store/postgres/writing/postgres_leasing.h"

#include <algorithm>
#include <string>

#include "store/rows/columns.h"
#include "store/postgres/writing/operations.h"

namespace quarry::store::postgres {

namespace {

// Nobody buries a worker while it claims: what it would be given then, nobody would take back. Its beats do
// not wait for this lock.
constexpr db::PgStatement hold_worker_sql{"hold_worker", R"sql(
    select pg_current_xact_id()::text, is_dead or beat_at + 1000 <= quarry.now_ms() from quarry.worker
    where id = $1 for key share)sql"};

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

// Fails only if a kind has to be asked for and cannot be.
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
    // Whoever asks for work is alive. Written down only now and then.
    if (held.boolean(0, 1)) hear_of(ledger, demand_.worker);
    if (has_backlog) TRY(ledger.promote_backlog());
    Leased leased;
    TRY(lease_jobs(ledger, asked.subspan(1), leased));
    if (demand_.urls > 0) TRY(lease_urls(ledger, demand_, leased));
    if (demand_.changes > 0) TRY(lease_changes(ledger, demand_, leased));
    return leased;
}

}  // namespace quarry::store::postgres
