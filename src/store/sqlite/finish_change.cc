#include "store/sqlite/finish_change.h"

#include "store/sqlite/effects.h"
#include "store/sqlite/endings.h"

namespace quarry::store {

namespace {

void tell(Ledger& ledger, const ChangeRow& row, JobState state) {
    std::optional<GroupId> group;
    if (row.group != 0) group = GroupId(row.group);
    ledger.tell({.what = state == JobState::completed ? Event::What::page_indexed : Event::What::index_failed,
                 .group = group,
                 .id = JobId(row.id),
                 .url = row.url,
                 .state = state});
}

class ChangeEnding {
public:
    ChangeEnding(Ledger& ledger, ChangeRow row, const Lease& lease, const Timings& timings)
        : ledger_(ledger), row_(std::move(row)), lease_(lease), timings_(timings) {}

    Result<void> operator()(const Completed&) {
        if (row_.group != 0 && row_.content) ++ledger_.tally(row_.group).indexed;
        return ended(JobState::completed, std::nullopt);
    }
    Result<void> operator()(const Skipped&) { return (*this)(Completed{}); }
    Result<void> operator()(const Failed& failed) {
        ++row_.attempts;
        if (TRY(is_dropped())) return {};
        return ended(JobState::failed, failed.error);
    }
    Result<void> operator()(const Retry& retry) {
        if (++row_.attempts >= ledger_.limits().change_attempts) {
            --row_.attempts;
            return (*this)(Failed{retry.error});
        }
        row_.snoozes = 0;
        return again(retry.not_before, retry.error);
    }
    Result<void> operator()(const Snooze& snooze) {
        ++row_.snoozes;
        return again(snooze.until, snooze.reason);
    }

private:
    // A newer change of the page does what this one could not do.
    Result<bool> is_dropped() {
        const bool is_outdated = TRY(ledger_.outbox().rows.is_outdated(row_));
        if (is_outdated) TRY(ledger_.outbox().rows.forget(row_));
        return is_outdated;
    }

    Result<void> ended(JobState state, std::optional<std::string_view> error) {
        TRY(ledger_.outbox().rows.end(row_, {.state = state,
                                             .finished_at = ledger_.now(),
                                             .token = lease_.token,
                                             .error = error,
                                             .timings = &timings_}));
        tell(ledger_, row_, state);
        return {};
    }

    Result<void> again(Timestamp when, std::string_view error) {
        if (TRY(is_dropped())) return {};
        row_.run_at = when > ledger_.now() ? std::optional(when) : std::nullopt;
        TRY(ledger_.outbox().rows.requeue(row_, error.empty() ? std::nullopt : std::optional(error)));
        ledger_.outbox().put_in_line(row_);
        return {};
    }

    Ledger& ledger_;
    ChangeRow row_;
    const Lease& lease_;
    const Timings& timings_;
};

}  // namespace

Result<void> finish_change(Ledger& ledger, JobId id, const Lease& lease, const Outcome& outcome) {
    auto row = TRY(ledger.outbox().rows.find(number(id)));
    if (!row) return fail(ErrorCode::corrupt, "a change is leased though it is not there");
    TRY(apply_effects(ledger, nullptr, outcome));
    if (row->group != 0 && !outcome.timings.is_empty()) ledger.tally(row->group).add(outcome.timings);
    return std::visit(ChangeEnding(ledger, *std::move(row), lease, outcome.timings), outcome.end);
}

Result<void> stall_change(Ledger& ledger, JobId id) {
    auto row = TRY(ledger.outbox().rows.find(number(id)));
    if (!row) return {};
    OutboxRows& rows = ledger.outbox().rows;
    if (TRY(rows.is_outdated(*row))) return rows.forget(*row);
    if (++row->stalls > ledger.limits().max_stalls) {
        TRY(rows.end(*row,
                     {.state = JobState::failed, .finished_at = ledger.now(), .error = worker_timed_out}));
        tell(ledger, *row, JobState::failed);
        return {};
    }
    TRY(rows.requeue(*row, worker_timed_out));
    ledger.outbox().put_in_line(*row);
    return {};
}

Result<void> give_back_change(Ledger& ledger, JobId id) {
    const auto row = TRY(ledger.outbox().rows.find(number(id)));
    if (!row) return {};
    if (TRY(ledger.outbox().rows.is_outdated(*row))) return ledger.outbox().rows.forget(*row);
    ledger.outbox().put_in_line(*row);
    return {};
}

}  // namespace quarry::store
