#include "store/sqlite/writing/finish_job.h"

#include "store/rules/transitions.h"
#include "store/sqlite/writing/effects.h"
#include "store/sqlite/writing/endings.h"

namespace quarry::store {

namespace {

class JobEnding {
public:
    JobEnding(Ledger& ledger, JobRow row, const Lease& lease)
        : ledger_(ledger), row_(std::move(row)), lease_(lease) {}

    Result<void> operator()(const Completed& completed) {
        return end({.state = JobState::completed, .result = completed.result});
    }
    Result<void> operator()(const Retry& retry) {
        ++row_.attempts;
        row_.snoozes = 0;
        if (row_.attempts >= row_.max_attempts) return end({.state = JobState::failed, .error = retry.error});
        return again(retry.not_before, retry.error);
    }
    Result<void> operator()(const Failed& failed) {
        ++row_.attempts;
        return end({.state = JobState::failed, .error = failed.error});
    }
    Result<void> operator()(const Snooze& snooze) {
        const auto reason =
            snooze.reason.empty() ? std::nullopt : std::optional<std::string_view>(snooze.reason);
        if (++row_.snoozes > ledger_.limits().max_snoozes)
            return end({.state = JobState::failed, .error = reason.value_or(put_off_too_often)});
        return again(snooze.until, reason);
    }
    // Only URLs are skipped; a job that says so has nothing to do.
    Result<void> operator()(const Skipped& skipped) {
        return end({.state = JobState::completed, .result = skipped.note});
    }

private:
    Result<void> end(JobEnd how) {
        how.attempts = row_.attempts;
        how.stalls = row_.stalls;
        how.started_at = lease_.leased_at;
        how.finished_at = ledger_.now();
        how.token = lease_.token;
        return end_job(ledger_, row_, how);
    }

    Result<void> again(Timestamp when, std::optional<std::string_view> error) {
        row_.run_at = when;
        TRY(ledger_.rows().jobs.requeue(row_, error));
        if (row_.state == JobState::queued) ledger_.put_in_line(row_);
        return {};
    }

    Ledger& ledger_;
    JobRow row_;
    const Lease& lease_;
};

// The row of a leased job does not change, so the lease knows it.
JobRow job_row_of(JobId id, const Lease& lease) {
    return {
        .id = number(id),
        .place = {.kind = lease.kind, .priority = lease.priority, .owner = lease.owner, .group = lease.group},
        .attempts = lease.attempts,
        .max_attempts = lease.max_attempts,
        .stalls = lease.stalls,
        .snoozes = lease.snoozes};
}

}  // namespace

Result<void> finish_job(Ledger& ledger, JobId id, const Lease& lease, const Outcome& outcome) {
    OpenGroup* group = ledger.group(lease.group);
    if (group && !outcome.pages.empty()) TRY(save_pages(ledger, *group, id, outcome.pages));
    TRY(apply_effects(ledger, group, outcome));
    return std::visit(JobEnding(ledger, job_row_of(id, lease), lease), outcome.end);
}

}  // namespace quarry::store
