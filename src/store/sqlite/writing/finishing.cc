// What an outcome wants beside the end of its own job: links, jobs, rules of hosts, pages that are gone.
#include "store/rules/transitions.h"
#include "store/sqlite/ledger.h"
#include "store/sqlite/writing/operations.h"

namespace quarry::store {

// Everything of an outcome except its end and its pages. `group` is that of the job, if it has one that is
// not over.
Result<void> apply_effects(Ledger& ledger, OpenGroup* group, const Outcome& outcome);

struct SavedPages {
    std::optional<ContentId> content{};  // of the first
    bool must_fetch_again = false;       // it was said to be unchanged, but what was stored is gone
};
Result<SavedPages> save_pages(Ledger& ledger, OpenGroup& group, JobId url, std::span<const PageWrite> pages);

// How the outcome of a job's handler becomes its end, or its next try.

// The lease has been removed already.
Result<void> finish_job(Ledger& ledger, JobId id, const Lease& lease, const Outcome& outcome);

// How the outcome of a fetch becomes the end of its URL, or its next try.

// The lease has been removed already.
Result<void> finish_url(Ledger& ledger, JobId id, const Lease& lease, const Outcome& outcome);

Result<void> end_job(Ledger& ledger, const JobRow& row, const JobEnd& end) {
    TRY(ledger.rows().jobs.move_to_done(row.id, end));
    ledger.count_open_job(row.place.owner, row.place.group, -1);
    std::optional<GroupId> group;
    if (row.place.group != 0) group = GroupId(row.place.group);
    ledger.tell({.what = Event::What::job_ended, .group = group, .id = JobId(row.id), .state = end.state});
    return {};
}

Result<void> end_url(Ledger& ledger, const UrlRow& row, const UrlEnd& end, UrlState was) {
    TRY(ledger.rows().urls.end(row.id, end));
    OpenGroup* group = ledger.group(row.group);
    if (!group) return {};
    count_url(group->counters, was, 0, -1);
    count_url(group->counters, end.state, end.status, 1);
    ledger.touch(*group);
    if (end.state == UrlState::completed) ledger.count_page(group->owner);
    if (end.state == UrlState::completed || end.state == UrlState::failed) {
        ledger.tell({.what = end.state == UrlState::completed ? Event::What::page : Event::What::url_failed,
                     .group = GroupId(row.group),
                     .id = JobId(row.id),
                     // Who is told may write it down.
                     .url = group->pages.zero_retention ? std::string() : row.url,
                     .status = end.status,
                     .state = end.state == UrlState::completed ? JobState::completed : JobState::failed});
    }
    return {};
}

namespace {

Result<void> apply_to_group(Ledger& ledger, OpenGroup& group, const Outcome& outcome) {
    TRY(admit(ledger, group, outcome.found));
    if (!outcome.roots.empty()) TRY(ledger.rows().groups.add_roots(group.id, outcome.roots));
    std::int64_t removed = 0;
    for (const UrlKey& key : outcome.gone)
        removed += TRY(ledger.rows().pages.remove(group.pages, key)) ? 1 : 0;
    if (outcome.settle) {
        removed += TRY(ledger.rows().pages.settle(group.pages, outcome.settle->after_misses));
    }
    if (removed > 0) {
        group.counters.removed += removed;
        ledger.touch(group);
    }
    return {};
}

}  // namespace

Result<void> apply_effects(Ledger& ledger, OpenGroup* group, const Outcome& outcome) {
    if (group) TRY(apply_to_group(ledger, *group, outcome));
    for (const NewJob& job : outcome.jobs) {
        // A job for a group that is over would never run.
        if (!job.group || ledger.group(number(*job.group))) TRY(insert_job(ledger, job));
    }
    for (const HostRule& rule : outcome.hosts) TRY(ledger.rows().hosts.set_rule(rule));
    return {};
}

Result<SavedPages> save_pages(Ledger& ledger, OpenGroup& group, JobId url, std::span<const PageWrite> pages) {
    SavedPages saved;
    for (const PageWrite& page : pages) {
        const Result<PageChange> change = ledger.rows().pages.write(group.pages, url, page);
        if (!change && change.error().code == ErrorCode::not_found) {
            saved.must_fetch_again = true;
            return saved;
        }
        if (!change) return std::unexpected(change.error());
        if (!saved.content) saved.content = change->content;
        group.counters.unchanged += change->unchanged ? 1 : 0;
        group.counters.duplicates += page.near_duplicate_of ? 1 : 0;
        group.counters.bytes += page.facts.body_bytes;
    }
    ledger.touch(group);
    return saved;
}

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

namespace {

Result<void> put_back(Ledger& ledger, OpenGroup& group, const UrlRow& row, const UrlTransition& transition) {
    TRY(ledger.rows().urls.requeue(row, transition.note));
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
    const UrlTransition transition = next_url_state(end,
                                                    {.attempts = row.attempts,
                                                     .snoozes = row.snoozes,
                                                     .most_attempts = ledger.limits().url_attempts,
                                                     .most_snoozes = ledger.limits().max_snoozes},
                                                    ledger.now());
    row.attempts = transition.attempts;
    row.snoozes = transition.snoozes;
    if (transition.state == UrlState::queued) {
        if (outcome.status != 0) row.status = outcome.status;
        row.run_at = transition.run_at;
        return put_back(ledger, *group, row, transition);
    }
    return end_url(ledger, row,
                   {.state = transition.state,
                    .skipped = transition.skipped,
                    .status = outcome.status,
                    .attempts = transition.attempts,
                    .stalls = row.stalls,
                    .content = saved.content,
                    .finished_at = ledger.now(),
                    .token = lease.token,
                    .final_url = outcome.final_url,
                    .note = transition.note.value_or(""),
                    .fetch = outcome.timings.fetch,
                    .extract = outcome.timings.extract,
                    .error = transition.error},
                   UrlState::running);
}

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
    const ChangeTransition transition = next_change_state(outcome.end,
                                                          {.attempts = row->attempts,
                                                           .snoozes = row->snoozes,
                                                           .most_attempts = ledger.limits().change_attempts,
                                                           .most_snoozes = ledger.limits().change_snoozes},
                                                          ledger.now());
    row->attempts = transition.attempts;
    row->snoozes = transition.snoozes;
    const bool is_good = transition.state == JobState::completed;
    // A newer change of the page does what this one could not do.
    if (!is_good && TRY(rows.is_outdated(*row))) return rows.forget(*row);
    if (transition.state == JobState::queued) {
        row->run_at = transition.run_at;
        TRY(rows.requeue(*row, transition.error, ledger.now()));
        ledger.outbox().put_in_line(*row);
        return {};
    }
    if (is_good && row->group != 0 && row->content) ++ledger.tally(row->group).indexed;
    TRY(rows.end(*row, {.state = transition.state,
                        .finished_at = ledger.now(),
                        .token = lease.token,
                        .error = transition.error,
                        .timings = &outcome.timings}));
    tell(ledger, *row, transition.state, outcome.timings.chunks);
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

namespace {

// The lease is gone. If it was this very outcome that ended it, its answer was lost on the way.
Result<Verdict> verdict_without_lease(Ledger& ledger, const LeaseRef& lease) {
    auto token = TRY(ledger.rows().jobs.ended_by(number(lease.id)));
    if (!token) token = TRY(ledger.rows().urls.ended_by(number(lease.id)));
    if (!token) token = TRY(ledger.outbox().rows.ended_by(number(lease.id)));
    return token == number(lease.token) ? Verdict::already_applied : Verdict::conflict;
}

Result<Verdict> finish_one(Ledger& ledger, const Finished& finished) {
    const JobId id = finished.lease.id;
    const Lease* held = ledger.leases.find(id);
    if (!held || held->token != finished.lease.token) return verdict_without_lease(ledger, finished.lease);
    const Lease lease = *held;
    TRY(ledger.remove_lease(id));
    if (lease.is_change()) {
        TRY(finish_change(ledger, id, lease, finished.outcome));
    } else if (lease.is_url()) {
        TRY(finish_url(ledger, id, lease, finished.outcome));
    } else {
        TRY(finish_job(ledger, id, lease, finished.outcome));
    }
    return Verdict::applied;
}

}  // namespace

Answer<std::vector<Verdict>> finish(Ledger& ledger, std::span<const Finished> finished) {
    std::vector<Verdict> verdicts;
    verdicts.reserve(finished.size());
    for (const Finished& one : finished) verdicts.push_back(TRY(finish_one(ledger, one)));
    return verdicts;
}

}  // namespace quarry::store
