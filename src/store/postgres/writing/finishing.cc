// What an outcome brings beside its own end: pages, links, jobs, rules of hosts.
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>

#include "store/postgres/ledger.h"
#include "store/postgres/tables/outbox.h"
#include "store/postgres/tables/pages.h"
#include "store/postgres/tables/urls.h"
#include "store/postgres/writing/operations.h"
#include "store/rows/columns.h"
#include "store/rules/transitions.h"

namespace quarry::store::postgres {

// Of a job or URL of the group, if there is one that is not over.
Result<void> apply_effects(Ledger& ledger, OpenGroup* group, const Outcome& outcome);

struct SavedPages {
    std::optional<std::int64_t> content{};  // of the first
    bool must_fetch_again = false;          // the former words are gone
};
// The pages that a URL or job of the group has brought.
Result<SavedPages> save_pages(Ledger& ledger, OpenGroup& group, std::int64_t url,
                              std::span<const PageWrite> pages);

// How a lease ends with its outcome: of a job, of a URL, of a change.

Result<void> finish_job(Ledger& ledger, const JobRow& row, const Outcome& outcome);
Result<void> finish_url(Ledger& ledger, const LeasedUrl& url, const Outcome& outcome);
Result<void> finish_change(Ledger& ledger, const LeasedChange& change, const Outcome& outcome);

namespace {

constexpr db::PgStatement set_rule_sql{
    "set_host_rule", "update quarry.host set connections = $2, delay = $3, not_before = $4 where id = $1"};

Result<void> apply_to_group(Ledger& ledger, OpenGroup& group, const Outcome& outcome) {
    TRY(admit(ledger, group, outcome.found));
    if (!outcome.roots.empty()) TRY(add_roots(ledger.sql(), group.id, outcome.roots));
    std::int64_t removed = 0;
    for (const UrlKey& key : outcome.gone) removed += TRY(remove_page(ledger, group.pages, key)) ? 1 : 0;
    if (outcome.settle) removed += TRY(settle_pages(ledger, group.pages, outcome.settle->after_misses));
    if (removed > 0) {
        group.counters.removed += removed;
        ledger.touch(group);
    }
    return {};
}

Result<void> set_rule(Ledger& ledger, const HostRule& rule) {
    const std::int64_t host = TRY(ledger.names().hosts({&rule.host, 1})).front();
    TRY(ledger.sql().run(set_rule_sql, db::PgValues(host, rule.connections, std::int64_t{rule.delay.count()},
                                                    column_of(rule.not_before))));
    return {};
}

}  // namespace

Result<void> apply_effects(Ledger& ledger, OpenGroup* group, const Outcome& outcome) {
    if (group) TRY(apply_to_group(ledger, *group, outcome));
    std::vector<NewJob> jobs;
    for (const NewJob& job : outcome.jobs) {
        // A job for a group that is over would never run.
        if (!job.group || TRY(ledger.group(number(*job.group)))) jobs.push_back(job);
    }
    TRY(insert_jobs(ledger, std::move(jobs)));
    for (const HostRule& rule : outcome.hosts) TRY(set_rule(ledger, rule));
    return {};
}

Result<SavedPages> save_pages(Ledger& ledger, OpenGroup& group, std::int64_t url,
                              std::span<const PageWrite> pages) {
    SavedPages saved;
    for (const PageWrite& page : pages) {
        const Result<PageChange> change = write_page_of_url(ledger, group.pages, url, page);
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

// Jobs that have completed, and nothing else: one statement for hundreds of them.

namespace {

// A job of a group is left: the group's row must be locked first.
constexpr db::PgStatement finish_sql{"finish_plain_jobs", R"sql(
    with u as materialized (select * from unnest($1::bigint[], $2::bigint[], $3::text[]) as u(id, token, result)),
         f as (delete from quarry.lease using u
               where lease.id = u.id and lease.token = u.token and lease.grp is null returning lease.*, u.result),
         d as (insert into quarry.done(id, kind, state, priority, owner, attempts, max_attempts, stalls,
                                       zero_retention, created_at, started_at, finished_at, deadline, token,
                                       unique_key, last_error, result)
               select id, kind, 2, priority, owner, attempts, max_attempts, stalls, zero_retention, created_at,
                      leased_at, (select quarry.now_ms()), deadline, token, unique_key, last_error, result from f),
         k as (delete from quarry.job_key where key in (select unique_key from f where unique_key is not null)),
         t as (insert into quarry.tally(owner, stripe, open_jobs, running_jobs)
               select owner, pg_backend_pid() % 64, -count(*), -count(*) from f group by owner order by owner
               on conflict (owner, stripe) do update set open_jobs = tally.open_jobs + excluded.open_jobs,
                                                         running_jobs = tally.running_jobs + excluded.running_jobs)
    select id, exists (select 1 from quarry.parked where reason = 2) from f)sql"};

}  // namespace

bool is_plain(const Outcome& outcome) {
    return std::holds_alternative<Completed>(outcome.end) && outcome.pages.empty() && outcome.found.empty() &&
           !outcome.canonical && outcome.jobs.empty() && outcome.roots.empty() && outcome.hosts.empty() &&
           outcome.gone.empty() && !outcome.settle && outcome.timings.is_empty();
}

Result<PlainEnd> finish_plain_jobs(db::PgBatch& batch, std::span<const Finished> finished) {
    db::PgIntegers ids, tokens;
    db::PgTexts results;
    for (const Finished& one : finished) {
        ids.emplace_back(number(one.lease.id));
        tokens.emplace_back(number(one.lease.token));
        results.emplace_back(std::get<Completed>(one.outcome.end).result);
    }
    const std::size_t place = batch.add(finish_sql, db::PgValues(ids, tokens, results));
    const std::vector<db::PgRows> answers = TRY(batch.run());
    const db::PgRows& rows = answers[place];
    PlainEnd end;
    for (int row = 0; row < rows.size(); ++row) end.ids.push_back(rows.integer(row, 0));
    end.has_backlog = !rows.empty() && rows.boolean(0, 1);
    return end;
}

namespace {

Result<void> put_back(Ledger& ledger, OpenGroup& group, const UrlRow& row, const UrlTransition& transition) {
    TRY(requeue_url(ledger, row, transition.note));
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
                    .content = saved.content,
                    .token = url.lease.token,
                    .final_url = outcome.final_url,
                    .note = std::string(transition.note.value_or("")),
                    .fetch = outcome.timings.fetch,
                    .extract = outcome.timings.extract,
                    .error = transition.error},
                   UrlState::running);
}

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
    const ChangeTransition transition = next_change_state(outcome.end,
                                                          {.attempts = row.attempts,
                                                           .snoozes = row.snoozes,
                                                           .most_attempts = ledger.limits().change_attempts,
                                                           .most_snoozes = ledger.limits().change_snoozes},
                                                          ledger.now());
    row.attempts = transition.attempts;
    row.snoozes = transition.snoozes;
    const bool is_good = transition.state == JobState::completed;
    // A newer change of the page does what this one could not do.
    if (!is_good && TRY(is_outdated(ledger.sql(), row))) return forget_change(ledger, row);
    if (transition.state == JobState::queued) {
        row.run_at = transition.run_at;
        return requeue_change(ledger, row, transition.error, ledger.now());
    }
    if (is_good && row.group != 0 && row.content) ++ledger.tally_of_group(row.group).indexed;
    TRY(end_change(ledger, row,
                   {.state = transition.state,
                    .token = change.lease.token,
                    .error = transition.error,
                    .timings = &outcome.timings}));
    tell(ledger, row, transition.state, outcome.timings.chunks);
    return {};
}

namespace {

constexpr db::PgStatement groups_of_leases_sql{"groups_of_leases", R"sql(
    select grp from quarry.lease where id = any($1::bigint[]) and grp is not null
    union select grp from quarry.url_lease where id = any($1::bigint[]))sql"};

constexpr db::PgStatement ended_by_sql{"ended_by", R"sql(
    select id, token from quarry.done where id = any($1::bigint[]) and token is not null
    union all select id, token from quarry.frontier where id = any($1::bigint[]) and token is not null
    union all select id, token from quarry.outbox where id = any($1::bigint[]) and token is not null)sql"};

// The leases that these outcomes end, by their ids.
class Ended {
public:
    static Result<Ended> take(Ledger& ledger, std::span<const Finished> finished) {
        db::PgIntegers ids, tokens;
        for (const Finished& one : finished) {
            ids.emplace_back(number(one.lease.id));
            tokens.emplace_back(number(one.lease.token));
            ledger.forget_begun(number(one.lease.token));
        }
        const db::PgRows rows = TRY(ledger.sql().run(groups_of_leases_sql, db::PgValues(ids)));
        std::set<std::int64_t> groups;
        for (int row = 0; row < rows.size(); ++row) groups.insert(rows.integer(row, 0));
        TRY(ledger.lock_groups(groups));
        Ended ended;
        for (JobRow& row : TRY(take_leases(ledger.sql(), ids, tokens)))
            ended.jobs_.emplace(row.id, std::move(row));
        const auto taken = [&] { return ended.jobs_.size() + ended.urls_.size(); };
        if (taken() < finished.size()) {
            for (LeasedUrl& url : TRY(take_url_leases(ledger.sql(), ids, tokens)))
                ended.urls_.emplace(url.lease.id, std::move(url));
        }
        if (taken() < finished.size()) {
            for (LeasedChange& change : TRY(take_change_leases(ledger.sql(), ids, tokens)))
                ended.add(std::move(change));
        }
        if (taken() + ended.changes_.size() < finished.size()) TRY(ended.read_former(ledger, ids));
        return ended;
    }

    bool is_of_change(const Finished& finished) const {
        return ended_changes_.contains(number(finished.lease.id));
    }

    Result<Verdict> finish(Ledger& ledger, const Finished& finished) {
        const std::int64_t id = number(finished.lease.id);
        const std::int64_t token = number(finished.lease.token);
        if (auto job = jobs_.find(id); job != jobs_.end() && job->second.token == token) {
            TRY(finish_job(ledger, job->second, finished.outcome));
            jobs_.erase(job);
        } else if (auto url = urls_.find(id); url != urls_.end() && url->second.lease.token == token) {
            TRY(finish_url(ledger, url->second, finished.outcome));
            urls_.erase(url);
        } else if (auto change = changes_.find(id);
                   change != changes_.end() && change->second.lease.token == token) {
            TRY(finish_change(ledger, change->second, finished.outcome));
            changes_.erase(change);
        } else {
            // If it was this very outcome that ended the lease, its answer was lost on the way.
            const auto former = former_.find(id);
            const bool is_same = former != former_.end() && former->second == token;
            return is_same ? Verdict::already_applied : Verdict::conflict;
        }
        former_[id] = token;
        return Verdict::applied;
    }

private:
    void add(LeasedChange change) {
        ended_changes_.insert(change.lease.id);
        changes_.emplace(change.lease.id, std::move(change));
    }
    Result<void> read_former(Ledger& ledger, const db::PgIntegers& ids) {
        const db::PgRows rows = TRY(ledger.sql().run(ended_by_sql, db::PgValues(ids)));
        for (int row = 0; row < rows.size(); ++row) former_[rows.integer(row, 0)] = rows.integer(row, 1);
        return {};
    }

    std::unordered_map<std::int64_t, JobRow> jobs_;
    std::unordered_map<std::int64_t, LeasedUrl> urls_;
    std::unordered_map<std::int64_t, LeasedChange> changes_;
    std::set<std::int64_t> ended_changes_;                   // of them also those that were finished
    std::unordered_map<std::int64_t, std::int64_t> former_;  // tokens of outcomes that were applied
};

}  // namespace

Answer<std::vector<Verdict>> finish(Ledger& ledger, std::span<const Finished> finished) {
    Ended ended = TRY(Ended::take(ledger, finished));
    std::vector<Verdict> verdicts(finished.size());
    // Changes first: their leases are gone already, and a page that is written anew would take them for some
    // that still wait.
    for (const bool are_changes : {true, false}) {
        for (std::size_t at = 0; at < finished.size(); ++at)
            if (ended.is_of_change(finished[at]) == are_changes)
                verdicts[at] = TRY(ended.finish(ledger, finished[at]));
    }
    return verdicts;
}

}  // namespace quarry::store::postgres
