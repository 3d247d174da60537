#include "store/sqlite/writing/finish_change.h"

#include "store/rules/transitions.h"
#include "store/sqlite/writing/effects.h"
#include "store/sqlite/writing/endings.h"

namespace quarry::store {

namespace {

void tell(Ledger& ledger, const ChangeRow& row, JobState state, int chunks) {
    std::optional<GroupId> group;
    if (row.group != 0) group = GroupId(row.group);
    ledger.tell({.what = state == JobState::completed ? Event::What::page_indexed : Event::What::index_failed,
                 .group = group,
                 .id = JobId(row.id),
                 .url = row.url,
                 .status = chunks,
                 .state = state});
}

Result<void> give_up(Ledger& ledger, const ChangeRow& row, std::string_view why) {
    TRY(ledger.outbox().rows.end(row,
                                 {.state = JobState::failed, .finished_at = ledger.now(), .error = why}));
    tell(ledger, row, JobState::failed, 0);
    return {};
}

}  // namespace

Result<void> finish_change(Ledger& ledger, JobId id, const Lease& lease, const Outcome& outcome) {
    auto row = TRY(ledger.outbox().rows.find(number(id)));
    if (!row) return fail(ErrorCode::corrupt, "a change is leased though it is not there");
    TRY(apply_effects(ledger, nullptr, outcome));
    if (row->group != 0 && !outcome.timings.is_empty()) ledger.tally(row->group).add(outcome.timings);
    OutboxRows& rows = ledger.outbox().rows;
    const ChangeFate fate = fate_of_change(outcome.end,
                                           {.attempts = row->attempts,
                                            .snoozes = row->snoozes,
                                            .most_attempts = ledger.limits().change_attempts,
                                            .most_snoozes = ledger.limits().change_snoozes},
                                           ledger.now());
    row->attempts = fate.attempts;
    row->snoozes = fate.snoozes;
    const bool is_good = fate.state == JobState::completed;
    // A newer change of the page does what this one could not do.
    if (!is_good && TRY(rows.is_outdated(*row))) return rows.forget(*row);
    if (fate.state == JobState::queued) {
        row->run_at = fate.run_at;
        TRY(rows.requeue(*row, fate.error, ledger.now()));
        ledger.outbox().put_in_line(*row);
        return {};
    }
    if (is_good && row->group != 0 && row->content) ++ledger.tally(row->group).indexed;
    TRY(rows.end(*row, {.state = fate.state,
                        .finished_at = ledger.now(),
                        .token = lease.token,
                        .error = fate.error,
                        .timings = &outcome.timings}));
    tell(ledger, *row, fate.state, outcome.timings.chunks);
    return {};
}

Result<void> stall_change(Ledger& ledger, JobId id) {
    auto row = TRY(ledger.outbox().rows.find(number(id)));
    if (!row) return {};
    OutboxRows& rows = ledger.outbox().rows;
    if (TRY(rows.is_outdated(*row))) return rows.forget(*row);
    if (++row->stalls > ledger.limits().max_stalls) return give_up(ledger, *row, worker_timed_out);
    TRY(rows.requeue(*row, worker_timed_out, ledger.now()));
    ledger.outbox().put_in_line(*row);
    return {};
}

Result<void> give_back_change(Ledger& ledger, JobId id) {
    auto row = TRY(ledger.outbox().rows.find(number(id)));
    if (!row) return {};
    OutboxRows& rows = ledger.outbox().rows;
    if (TRY(rows.is_outdated(*row))) return rows.forget(*row);
    if (++row->snoozes > ledger.limits().change_snoozes) return give_up(ledger, *row, put_off_too_often);
    TRY(rows.requeue(*row, std::nullopt));
    ledger.outbox().put_in_line(*row);
    return {};
}

}  // namespace quarry::store
