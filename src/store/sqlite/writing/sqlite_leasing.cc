#include "store/sqlite/writing/leasing.h"

#include "store/sqlite/writing/change_leasing.h"
#include "store/sqlite/writing/due.h"
#include "store/sqlite/writing/url_leasing.h"

namespace quarry::store {

namespace {

// Lines in memory may be out of date: the row decides whether the job is really next.
bool is_leasable(const Ledger& ledger, const JobRow& row, int priority) {
    return row.state == JobState::queued && row.place.priority == priority &&
           (!row.run_at || *row.run_at <= ledger.now()) && !ledger.leases.contains(row.id);
}

JobLease lease_of(Ledger& ledger, const JobRow& row, const std::string& kind, std::string_view payload) {
    JobLease lease{.lease = {JobId(row.id), ledger.next_token()},
                   .kind = kind,
                   .payload = std::string(payload),
                   .attempt = row.attempts + 1,
                   .max_attempts = row.max_attempts,
                   .stalls = row.stalls,
                   .owner = ledger.rows().owners.at(row.place.owner).name,
                   .deadline = row.deadline};
    if (row.place.group != 0) lease.group = GroupId(row.place.group);
    return lease;
}

// The next job of the kind; nothing if none may run.
Result<std::optional<JobLease>> lease_job(Ledger& ledger, const std::string& kind, WorkerId worker) {
    const int kind_id = ledger.rows().kinds.find(kind);
    while (const auto taken = ledger.ready.pop(kind_id)) {
        std::optional<JobLease> leased;
        Lease lease;
        TRY(ledger.rows().jobs.find(taken->id, [&](const JobRow& row, std::string_view payload) {
            if (!is_leasable(ledger, row, taken->priority)) return;
            leased = lease_of(ledger, row, kind, payload);
            lease = {.token = leased->lease.token,
                     .worker = worker,
                     .owner = row.place.owner,
                     .group = row.place.group,
                     .priority = row.place.priority,
                     .kind = row.place.kind,
                     .attempts = row.attempts,
                     .max_attempts = row.max_attempts,
                     .stalls = row.stalls,
                     .snoozes = row.snoozes,
                     .leased_at = ledger.now()};
        }));
        if (!leased) continue;
        TRY(ledger.add_lease(leased->lease.id, lease));
        return leased;
    }
    return std::nullopt;
}

}  // namespace

Answer<Leased> lease(Ledger& ledger, const Demand& demand) {
    Worker* worker = ledger.workers.find(demand.worker);
    if (!worker) return refuse<Leased>(ErrorCode::not_found, "unknown worker");
    // Whoever asks for work is alive.
    worker->beat_at = ledger.now();
    worker->is_dead = false;
    TRY(do_what_is_due(ledger));
    Leased leased;
    for (const Demand::Kind& kind : demand.kinds) {
        for (int slot = 0; slot < kind.slots; ++slot) {
            auto job = TRY(lease_job(ledger, kind.kind, demand.worker));
            if (!job) break;
            leased.jobs.push_back(*std::move(job));
        }
    }
    std::optional<Timestamp> hosts_due;
    if (demand.urls > 0) hosts_due = TRY(lease_urls(ledger, demand, leased));
    TRY(lease_changes(ledger, demand, leased));
    leased.next_due = earlier(next_due(ledger), hosts_due);
    return leased;
}

}  // namespace quarry::store
