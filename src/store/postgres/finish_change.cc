#include "store/postgres/effects.h"
#include "store/postgres/finish_kinds.h"

namespace quarry::store::postgres {

namespace {

class ChangeEnding {
public:
    ChangeEnding(Ledger& ledger, LeasedChange change, const Timings& timings)
        : ledger_(ledger), row_(std::move(change.row)), token_(change.lease.token), timings_(timings) {}

    Result<void> operator()(const Completed&) {
        if (row_.group != 0 && row_.content) ++ledger_.tally_of_group(row_.group).indexed;
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
        const bool is_old = TRY(is_outdated(ledger_.sql(), row_));
        if (is_old) TRY(forget_change(ledger_, row_));
        return is_old;
    }
    Result<void> ended(JobState state, std::optional<std::string_view> error) {
        TRY(end_change(ledger_, row_,
                       {.state = state, .token = token_, .error = error, .timings = &timings_}));
        std::optional<GroupId> group;
        if (row_.group != 0) group = GroupId(row_.group);
        const bool is_good = state == JobState::completed;
        ledger_.tell({.what = is_good ? Event::What::page_indexed : Event::What::index_failed,
                      .group = group,
                      .id = JobId(row_.id),
                      .url = row_.url,
                      .state = state});
        return {};
    }
    Result<void> again(Timestamp when, std::string_view error) {
        if (TRY(is_dropped())) return {};
        row_.run_at = when > ledger_.now() ? std::optional(when) : std::nullopt;
        return requeue_change(ledger_, row_, error.empty() ? std::nullopt : std::optional(error));
    }

    Ledger& ledger_;
    ChangeRow row_;
    std::int64_t token_;
    const Timings& timings_;
};

}  // namespace

Result<void> finish_change(Ledger& ledger, const LeasedChange& change, const Outcome& outcome) {
    TRY(apply_effects(ledger, nullptr, outcome));
    if (change.row.group != 0 && !outcome.timings.is_empty())
        ledger.tally_of_group(change.row.group).add(outcome.timings);
    ledger.wake();  // a newer change of the page may have waited for this
    return std::visit(ChangeEnding(ledger, change, outcome.timings), outcome.end);
}

}  // namespace quarry::store::postgres
