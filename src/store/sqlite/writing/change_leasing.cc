#include "store/sqlite/writing/change_leasing.h"

namespace quarry::store {

namespace {

// Lines in memory may be out of date: the row decides whether the change is really next.
bool is_leasable(const Ledger& ledger, const ChangeRow& row, const UrlPlace& place) {
    return row.state == JobState::queued && row.priority == place.priority && !row.run_at &&
           !ledger.leases.contains(row.id);
}

ChangeLease lease_of(Ledger& ledger, ChangeRow row) {
    ChangeLease lease{.lease = {JobId(row.id), ledger.next_token()},
                      .page = row.page,
                      .content = row.content,
                      .version = row.version,
                      .collection = std::move(row.collection),
                      .url = std::move(row.url),
                      .priority = row.priority,
                      .attempt = row.attempts + 1,
                      .max_attempts = ledger.limits().change_attempts,
                      .snoozes = row.snoozes};
    if (row.group != 0) lease.group = GroupId(row.group);
    return lease;
}

}  // namespace

Result<void> lease_changes(Ledger& ledger, const Demand& demand, Leased& leased) {
    OutboxQueue& queue = ledger.outbox().queue;
    while (static_cast<int>(leased.changes.size()) < demand.changes) {
        const auto place = TRY(queue.take(demand.change_collection));
        if (!place) return {};
        auto row = TRY(ledger.outbox().rows.find(place->id));
        if (!row || !is_leasable(ledger, *row, *place)) continue;
        if (queue.is_leased(row->page)) {
            queue.set_aside(row->page, *place);
            continue;
        }
        const std::int64_t group = row->group;
        ChangeLease change = lease_of(ledger, *std::move(row));
        TRY(ledger.add_lease(change.lease.id, {.token = change.lease.token,
                                               .worker = demand.worker,
                                               .group = group,
                                               .page = change.page,
                                               .collection = change.collection,
                                               .leased_at = ledger.now()}));
        leased.changes.push_back(std::move(change));
    }
    return {};
}

}  // namespace quarry::store
