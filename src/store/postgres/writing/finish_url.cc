#include "store/rules/transitions.h"
#include "store/postgres/writing/effects.h"
#include "store/postgres/writing/finish_kinds.h"

namespace quarry::store::postgres {

namespace {

Result<void> put_back(Ledger& ledger, OpenGroup& group, const UrlRow& row, const UrlFate& fate) {
    TRY(requeue_url(ledger, row, fate.note));
    --group.counters.running;
    ++group.counters.queued;
    ledger.touch(group);
    return put_url_in_line(ledger, row);
}

// True if the group has another URL of that key. If it has none, the key becomes another name of this one.
Result<bool> is_copy(Ledger& ledger, OpenGroup& group, std::int64_t id, const Outcome& outcome) {
    if (!outcome.canonical || !std::holds_alternative<Completed>(outcome.end)) return false;
    const auto known = TRY(find_key(ledger.sql(), group.id, *outcome.canonical));
    if (known) return *known != id;
    TRY(insert_alias(ledger.sql(), group.id, *outcome.canonical, id));
    ledger.will_be_known(group.id, *outcome.canonical);
    group.has_aliases = true;
    ledger.touch(group);
    return false;
}

}  // namespace

Result<void> finish_url(Ledger& ledger, const LeasedUrl& url, const Outcome& outcome) {
    TRY(forget_url_lease(ledger, url.lease));
    OpenGroup* group = TRY(ledger.group(url.lease.group));
    if (!group) return fail(ErrorCode::corrupt, "a URL is leased though its crawl is over");
    if (!outcome.timings.is_empty()) ledger.tally_of_group(group->id).add(outcome.timings);
    Outcome::End end = outcome.end;
    SavedPages saved;
    if (TRY(is_copy(ledger, *group, url.row.id, outcome))) {
        end = Skipped{.reason = SkipReason::canonical};
    } else if (!outcome.pages.empty()) {
        saved = TRY(save_pages(ledger, *group, url.row.id, outcome.pages));
        if (saved.must_fetch_again) end = Retry{.error = std::string(nothing_stored)};
    }
    TRY(apply_effects(ledger, group, outcome));
    UrlRow row = url.row;
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
                    .content = saved.content,
                    .token = url.lease.token,
                    .final_url = outcome.final_url,
                    .note = std::string(fate.note.value_or("")),
                    .fetch = outcome.timings.fetch,
                    .extract = outcome.timings.extract,
                    .error = fate.error},
                   UrlState::running);
}

}  // namespace quarry::store::postgres
