#include "store/sqlite/writing/finish_url.h"

#include "store/rules/transitions.h"
#include "store/sqlite/writing/effects.h"
#include "store/sqlite/writing/endings.h"

namespace quarry::store {

namespace {

Result<void> put_back(Ledger& ledger, OpenGroup& group, const UrlRow& row, const UrlFate& fate) {
    TRY(ledger.rows().urls.requeue(row, fate.note));
    --group.counters.running;
    ++group.counters.queued;
    ledger.touch(group);
    ledger.put_in_line(group, row);
    return {};
}

// True if the group has another URL of that key. If it has none, the key becomes another name of this one.
Result<bool> is_copy(Ledger& ledger, OpenGroup& group, JobId id, const Outcome& outcome) {
    if (!outcome.canonical || !std::holds_alternative<Completed>(outcome.end)) return false;
    const auto known = TRY(ledger.rows().urls.find_key(group.id, *outcome.canonical));
    if (known) return *known != number(id);
    TRY(ledger.rows().urls.insert_alias(group.id, *outcome.canonical, number(id)));
    ledger.will_be_known(group.id, *outcome.canonical);
    group.has_aliases = true;
    return false;
}

// As far as the ending needs it. The row of a leased URL does not change, so the lease knows it.
UrlRow url_row_of(JobId id, const Lease& lease) {
    return {.id = number(id),
            .group = lease.group,
            .host = lease.host,
            .priority = lease.priority,
            .attempts = lease.attempts,
            .stalls = lease.stalls,
            .snoozes = lease.snoozes,
            .url = lease.url};
}

}  // namespace

Result<void> finish_url(Ledger& ledger, JobId id, const Lease& lease, const Outcome& outcome) {
    OpenGroup* group = ledger.group(lease.group);
    if (!group) return fail(ErrorCode::corrupt, "a URL is leased though its crawl is over");
    if (!outcome.timings.is_empty()) ledger.tally(group->id).add(outcome.timings);
    Outcome::End end = outcome.end;
    SavedPages saved;
    if (TRY(is_copy(ledger, *group, id, outcome))) {
        end = Skipped{.reason = SkipReason::canonical};
    } else if (!outcome.pages.empty()) {
        saved = TRY(save_pages(ledger, *group, id, outcome.pages));
        if (saved.must_fetch_again) end = Retry{.error = std::string(nothing_stored)};
    }
    TRY(apply_effects(ledger, group, outcome));
    UrlRow row = url_row_of(id, lease);
    const UrlFate fate = fate_of_url(end,
                                     {.attempts = row.attempts,
                                      .snoozes = row.snoozes,
                                      .most_attempts = ledger.limits().url_attempts,
                                      .most_snoozes = ledger.limits().max_snoozes},
                                     ledger.now());
    row.attempts = fate.attempts;
    row.snoozes = fate.snoozes;
    if (fate.state == UrlState::queued) {
        if (outcome.status != 0) row.status = outcome.status;
        row.run_at = fate.run_at;
        return put_back(ledger, *group, row, fate);
    }
    return end_url(ledger, row,
                   {.state = fate.state,
                    .skipped = fate.skipped,
                    .status = outcome.status,
                    .attempts = fate.attempts,
                    .stalls = row.stalls,
                    .content = saved.content,
                    .finished_at = ledger.now(),
                    .token = lease.token,
                    .final_url = outcome.final_url,
                    .note = fate.note.value_or(""),
                    .fetch = outcome.timings.fetch,
                    .extract = outcome.timings.extract,
                    .error = fate.error},
                   UrlState::running);
}

}  // namespace quarry::store
