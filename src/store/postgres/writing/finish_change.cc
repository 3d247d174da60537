#include "store/rules/transitions.h"
#include "store/postgres/writing/effects.h"
#include "store/postgres/writing/finish_kinds.h"

namespace quarry::store::postgres {

namespace {

void tell(Ledger& ledger, const ChangeRow& row, JobState state, int chunks) {
    std::optional<GroupId> group;
    if (row.group != 0) group = GroupId(row.group);
    const bool is_good = state == JobState::completed;
    ledger.tell({.what = is_good ? Event::What::page_indexed : Event::What::index_failed,
                 .group = group,
                 .id = JobId(row.id),
                 .url = row.url,
                 .status = chunks,
                 .state = state});
}

}  // namespace

Result<void> finish_change(Ledger& ledger, const LeasedChange& change, const Outcome& outcome) {
    TRY(apply_effects(ledger, nullptr, outcome));
    if (change.row.group != 0 && !outcome.timings.is_empty())
        ledger.tally_of_group(change.row.group).add(outcome.timings);
    ledger.wake();  // a newer change of the page may have waited for this
    ChangeRow row = change.row;
    const ChangeFate fate = fate_of_change(outcome.end,
                                           {.attempts = row.attempts,
                                            .snoozes = row.snoozes,
                                            .most_attempts = ledger.limits().change_attempts,
                                            .most_snoozes = ledger.limits().change_snoozes},
                                           ledger.now());
    row.attempts = fate.attempts;
    row.snoozes = fate.snoozes;
    const bool is_good = fate.state == JobState::completed;
    // A newer change of the page does what this one could not do.
    if (!is_good && TRY(is_outdated(ledger.sql(), row))) return forget_change(ledger, row);
    if (fate.state == JobState::queued) {
        row.run_at = fate.run_at;
        return requeue_change(ledger, row, fate.error, ledger.now());
    }
    if (is_good && row.group != 0 && row.content) ++ledger.tally_of_group(row.group).indexed;
    TRY(end_change(ledger, row,
                   {.state = fate.state,
                    .token = change.lease.token,
                    .error = fate.error,
                    .timings = &outcome.timings}));
    tell(ledger, row, fate.state, outcome.timings.chunks);
    return {};
}

}  // namespace quarry::store::postgres
