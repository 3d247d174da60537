#include "store/rules/transitions.h"
#include "store/postgres/writing/effects.h"
#include "store/postgres/writing/finish_kinds.h"

namespace quarry::store::postgres {

namespace {

class JobEnding {
public:
    JobEnding(Ledger& ledger, JobRow row) : ledger_(ledger), row_(std::move(row)) {}

    Result<void> operator()(const Completed& completed) { return end(JobState::completed, completed.result); }
    Result<void> operator()(const Retry& retry) {
        ++row_.attempts;
        row_.snoozes = 0;
        row_.last_error = retry.error;
        row_.start_by.reset();  // it has begun once
        if (row_.attempts >= row_.max_attempts) return end(JobState::failed, {});
        return again(retry.not_before);
    }
    Result<void> operator()(const Failed& failed) {
        ++row_.attempts;
        row_.last_error = failed.error;
        return end(JobState::failed, {});
    }
    Result<void> operator()(const Snooze& snooze) {
        if (!snooze.reason.empty()) row_.last_error = snooze.reason;
        if (++row_.snoozes > ledger_.limits().max_snoozes) {
            if (snooze.reason.empty()) row_.last_error = put_off_too_often;
            return end(JobState::failed, {});
        }
        return again(snooze.until);
    }
    // Only URLs are skipped; a job that says so has nothing to do.
    Result<void> operator()(const Skipped& skipped) { return end(JobState::completed, skipped.note); }

private:
    Result<void> end(JobState state, std::optional<std::string> result) {
        const Timestamp leased_at = row_.leased_at;
        const std::int64_t token = row_.token;
        return ledger_.end_job({.row = std::move(row_),
                                .state = state,
                                .finished_at = ledger_.now(),
                                .started_at = leased_at,
                                .token = token,
                                .result = std::move(result)});
    }
    Result<void> again(Timestamp when) {
        row_.run_at = when;
        ledger_.put_in_line(std::move(row_));
        return {};
    }

    Ledger& ledger_;
    JobRow row_;
};

}  // namespace

Result<void> finish_job(Ledger& ledger, const JobRow& row, const Outcome& outcome) {
    --ledger.tally_of_owner(row.owner).running_jobs;
    OpenGroup* group = TRY(ledger.group(row.group));
    if (group && !outcome.pages.empty()) TRY(save_pages(ledger, *group, row.id, outcome.pages));
    TRY(apply_effects(ledger, group, outcome));
    return std::visit(JobEnding(ledger, row), outcome.end);
}

}  // namespace quarry::store::postgres
