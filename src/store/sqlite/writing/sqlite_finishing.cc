#include "store/sqlite/writing/finishing.h"

#include "store/sqlite/writing/finish_change.h"
#include "store/sqlite/writing/finish_job.h"
#include "store/sqlite/writing/finish_url.h"

namespace quarry::store {

namespace {

// The lease is gone. If it was this very outcome that ended it, its answer was lost on the way.
Result<Verdict> verdict_without_lease(Ledger& ledger, const LeaseRef& lease) {
    auto token = TRY(ledger.rows().jobs.ended_by(number(lease.id)));
    if (!token) token = TRY(ledger.rows().urls.ended_by(number(lease.id)));
    if (!token) token = TRY(ledger.outbox().rows.ended_by(number(lease.id)));
    return token == number(lease.token) ? Verdict::already_applied : Verdict::conflict;
}

Result<Verdict> finish_one(Ledger& ledger, const Finished& finished) {
    const JobId id = finished.lease.id;
    const Lease* held = ledger.leases.find(id);
    if (!held || held->token != finished.lease.token) return verdict_without_lease(ledger, finished.lease);
    const Lease lease = *held;
    TRY(ledger.remove_lease(id));
    if (lease.is_change()) {
        TRY(finish_change(ledger, id, lease, finished.outcome));
    } else if (lease.is_url()) {
        TRY(finish_url(ledger, id, lease, finished.outcome));
    } else {
        TRY(finish_job(ledger, id, lease, finished.outcome));
    }
    return Verdict::applied;
}

}  // namespace

Answer<std::vector<Verdict>> finish(Ledger& ledger, std::span<const Finished> finished) {
    std::vector<Verdict> verdicts;
    verdicts.reserve(finished.size());
    for (const Finished& one : finished) verdicts.push_back(TRY(finish_one(ledger, one)));
    return verdicts;
}

}  // namespace quarry::store
