#include <algorithm>

#include <fmt/format.h>

#include "base/units.h"
#include "store/sqlite/tables/schedules.h"
#include "store/sqlite/writing/operations.h"

namespace quarry::store {

namespace {

Result<void> wake_jobs(Ledger& ledger) {
    while (const auto id = ledger.delayed_jobs.pop_due(ledger.now())) {
        const auto row = TRY(ledger.rows().jobs.find(*id));
        const bool waits = row && row->state == JobState::queued && !ledger.leases.contains(*id);
        if (waits) ledger.put_in_line(*row);
    }
    return {};
}

Result<void> wake_urls(Ledger& ledger) {
    while (const auto id = ledger.delayed_urls.pop_due(ledger.now())) {
        auto row = TRY(ledger.rows().urls.find(*id));
        const bool waits =
            row && row->state == UrlState::queued && row->run_at && *row->run_at <= ledger.now();
        OpenGroup* group = waits ? ledger.group(row->group) : nullptr;
        if (!group) continue;
        TRY(ledger.rows().urls.make_ready(*id));
        row->run_at.reset();
        ledger.put_in_line(*group, *row);
    }
    return {};
}

Result<void> fail_job(Ledger& ledger, const JobRow& row, std::string_view error) {
    return end_job(ledger, row,
                   {.state = JobState::failed,
                    .attempts = row.attempts,
                    .stalls = row.stalls,
                    .finished_at = ledger.now(),
                    .error = error});
}

// The time-out of the backlog: of jobs that have not even begun.
Result<void> fail_late_starters(Ledger& ledger) {
    while (const auto id = ledger.start_limits.pop_due(ledger.now())) {
        if (ledger.leases.contains(*id)) continue;
        const auto row = TRY(ledger.rows().jobs.find(*id));
        if (!row || row->attempts > 0 || row->stalls > 0 || !row->start_by) continue;
        const std::string patience = format_duration(*row->start_by - row->created_at);
        TRY(fail_job(ledger, *row, fmt::format("waited longer than {} for its turn", patience)));
    }
    return {};
}

Result<void> fail_overdue(Ledger& ledger) {
    while (const auto id = ledger.deadlines.pop_due(ledger.now())) {
        const auto row = TRY(ledger.rows().jobs.find(*id));
        if (!row || !row->deadline || *row->deadline > ledger.now()) continue;
        if (ledger.leases.contains(*id)) TRY(revoke(ledger, JobId(*id)));
        TRY(fail_job(ledger, *row, "not done by its deadline"));
    }
    return {};
}

}  // namespace

std::optional<Timestamp> earlier(std::optional<Timestamp> left, std::optional<Timestamp> right) {
    if (!left || !right) return left ? left : right;
    return std::min(*left, *right);
}

Result<void> do_what_is_due(Ledger& ledger) {
    TRY(bury_dead_workers(ledger));
    TRY(fail_late_starters(ledger));
    TRY(fail_overdue(ledger));
    TRY(run_schedules(ledger));
    TRY(wake_jobs(ledger));
    TRY(wake_urls(ledger));
    TRY(ledger.outbox().wake(ledger.now()));
    return ledger.settle();
}

std::optional<Timestamp> next_due(const Ledger& ledger) {
    auto next = earlier(ledger.delayed_jobs.next(), ledger.delayed_urls.next());
    next = earlier(next, ledger.outbox().queue.next_due());
    next = earlier(next, ledger.start_limits.next());
    next = earlier(next, ledger.schedules.next());
    return earlier(next, ledger.deadlines.next());
}

}  // namespace quarry::store
