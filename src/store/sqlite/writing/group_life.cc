#include <algorithm>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>

#include "store/job_json.h"
#include "store/sqlite/writing/operations.h"

namespace quarry::store {

namespace {

Result<void> add_notice(Ledger& ledger, const OpenGroup& group) {
    if (!group.has_notice) return {};
    auto notice = TRY(ledger.rows().groups.notice_of(group.id));
    if (!notice) return {};
    notice->owner = ledger.rows().owners.at(group.owner).name;
    TRY(insert_job(ledger, notice_about(*std::move(notice), GroupId(group.id), group.state)));
    return {};
}

// Moves a group between states, and with it what is leased of it.
void set_state(Ledger& ledger, OpenGroup& group, JobState state) {
    const bool ran = group.state == JobState::running;
    const bool runs = state == JobState::running;
    group.state = state;
    if (ran && !runs) {
        ledger.set_running(group, false);
        ledger.ready.hold_group(group.id);
    }
    // Also one that only waited: others waited behind it.
    if (!runs) ledger.reconsider_groups();
    if (runs && !ran) {
        ledger.set_running(group, true);
        ledger.ready.release_group(group.id);
        if (!group.started_at) group.started_at = ledger.now();
        ledger.wake();
    }
    ledger.touch(group);
    ledger.tell_group(group);
}

// To run. One that was paused, or waits again, has begun before.
Result<void> begin(Ledger& ledger, OpenGroup& group) {
    const bool is_new = !group.started_at;
    set_state(ledger, group, JobState::running);
    if (is_new) TRY(add_notice(ledger, group));
    return {};
}

Result<void> end(Ledger& ledger, OpenGroup& group, JobState state) {
    set_state(ledger, group, state);
    group.finished_at = ledger.now();
    group.last_id = ledger.last_id();
    ledger.ready.drop_group(group.id);
    ledger.frontier.drop(group.id);
    ledger.wake();
    return add_notice(ledger, group);
}

Result<std::vector<JobRow>> jobs_of(Ledger& ledger, const OpenGroup& group) {
    std::vector<JobRow> rows;
    TRY(ledger.rows().jobs.for_each_of_group(group.id, [&](const JobRow& row) { rows.push_back(row); }));
    return rows;
}

// Ends what is left of a group's jobs, running ones too.
Result<void> cancel_jobs(Ledger& ledger, OpenGroup& group) {
    // What the group has brought already is indexed all the same.
    const auto held = ledger.leases.ids_where(
        [&](const Lease& lease) { return lease.group == group.id && !lease.is_change(); });
    for (const JobId id : held) TRY(revoke(ledger, id));
    for (const JobRow& row : TRY(jobs_of(ledger, group))) {
        TRY(end_job(ledger, row,
                    {.state = JobState::cancelled,
                     .attempts = row.attempts,
                     .stalls = row.stalls,
                     .finished_at = ledger.now()}));
    }
    return {};
}

bool has_work_left(const OpenGroup& group) {
    const GroupCounters& counters = group.counters;
    if (counters.jobs_open > 0 || counters.running > 0) return true;
    return counters.queued > 0 && !group.has_enough();
}

// The URLs that never had their turn count as skipped; their rows are not touched, readers know.
void skip_the_rest(OpenGroup& group) {
    group.counters.skipped += group.counters.queued;
    group.counters.queued = 0;
}

Result<void> settle(Ledger& ledger, OpenGroup& group) {
    if (group.state != JobState::running || has_work_left(group)) return {};
    if (group.has_closing_jobs) {
        group.has_closing_jobs = false;
        for (NewJob& job : TRY(ledger.rows().groups.take_closing_jobs(group.id))) {
            job.group = GroupId(group.id);
            TRY(insert_job(ledger, job));
        }
        if (has_work_left(group)) return {};
    }
    skip_the_rest(group);
    return end(ledger, group, JobState::completed);
}

bool may_start(Ledger& ledger, const OpenGroup& group) {
    const auto running_in_all = static_cast<int>(ledger.running_groups().size());
    const Owner& owner = ledger.rows().owners.at(group.owner);
    if (running_in_all >= ledger.limits().max_running_groups) return false;
    if (group.concurrency == Concurrency::unlimited) return true;
    if (owner.exclusive_groups > 0) return false;
    if (group.concurrency == Concurrency::exclusive) return owner.running_groups == 0;
    return owner.running_groups < owner.limits.running_groups;
}

std::vector<OpenGroup*> waiting_groups(Ledger& ledger) {
    std::vector<OpenGroup*> waiting;
    for (auto& [id, group] : ledger.groups()) {
        if (group.state == JobState::queued) waiting.push_back(&group);
    }
    std::ranges::stable_sort(waiting, {}, &OpenGroup::priority);
    return waiting;
}

}  // namespace

Result<void> settle_groups(Ledger& ledger) {
    // The list grows while it is walked.
    for (std::size_t index = 0; index < ledger.dirty_groups().size(); ++index) {
        if (OpenGroup* group = ledger.group(ledger.dirty_groups()[index])) TRY(settle(ledger, *group));
    }
    return {};
}

Result<void> start_waiting_groups(Ledger& ledger) {
    // Nobody overtakes within an owner, or a group that runs alone would wait for ever.
    std::unordered_set<int> owners_in_wait;
    for (OpenGroup* group : waiting_groups(ledger)) {
        if (owners_in_wait.contains(group->owner) && group->concurrency != Concurrency::unlimited) continue;
        if (may_start(ledger, *group)) {
            TRY(begin(ledger, *group));
        } else {
            owners_in_wait.insert(group->owner);
        }
    }
    return {};
}

Result<std::optional<Error>> closed_group_error(Ledger& ledger, GroupId id) {
    if (ledger.group(number(id))) return std::nullopt;
    const auto state = TRY(ledger.rows().groups.state_of(number(id)));
    if (!state) return Error{ErrorCode::not_found, "there is no such group"};
    return Error{ErrorCode::conflict, fmt::format("the crawl is already {}", name_of(*state))};
}

Answer<void> cancel_group(Ledger& ledger, GroupId id) {
    if (auto error = TRY(closed_group_error(ledger, id))) return Result<void>(std::unexpected(*error));
    OpenGroup& group = *ledger.group(number(id));
    TRY(cancel_jobs(ledger, group));
    // Rows of URLs stay as they are; the difference to `discovered` is what was cancelled.
    group.counters.queued = group.counters.running = 0;
    TRY(end(ledger, group, JobState::cancelled));
    return Result<void>{};
}

Answer<void> fail_group(Ledger& ledger, GroupId id, const std::string& reason) {
    if (auto error = TRY(closed_group_error(ledger, id))) return Result<void>(std::unexpected(*error));
    OpenGroup& group = *ledger.group(number(id));
    TRY(cancel_jobs(ledger, group));
    group.counters.queued += group.counters.running;
    group.counters.running = 0;
    skip_the_rest(group);
    group.error = reason;
    TRY(end(ledger, group, JobState::failed));
    return Result<void>{};
}

Answer<void> pause_group(Ledger& ledger, GroupId id) {
    if (auto error = TRY(closed_group_error(ledger, id))) return Result<void>(std::unexpected(*error));
    OpenGroup& group = *ledger.group(number(id));
    if (group.state != JobState::paused) set_state(ledger, group, JobState::paused);
    return Result<void>{};
}

Answer<void> resume_group(Ledger& ledger, GroupId id) {
    if (auto error = TRY(closed_group_error(ledger, id))) return Result<void>(std::unexpected(*error));
    OpenGroup& group = *ledger.group(number(id));
    if (group.state != JobState::paused) return Result<void>{};
    set_state(ledger, group, JobState::queued);
    ledger.reconsider_groups();
    return Result<void>{};
}

Answer<void> reprioritise_group(Ledger& ledger, GroupId id, int priority) {
    if (auto error = TRY(closed_group_error(ledger, id))) return Result<void>(std::unexpected(*error));
    OpenGroup& group = *ledger.group(number(id));
    group.priority = group.pages.priority = priority;
    for (JobRow& row : TRY(jobs_of(ledger, group))) {
        TRY(ledger.rows().jobs.set_priority(row.id, priority));
        row.place.priority = priority;
        if (ledger.leases.contains(row.id)) {
            ledger.leases.set_priority(row.id, priority);
        } else if (row.state == JobState::queued) {
            ledger.put_in_line(row);  // where it stood before it is passed over
        }
    }
    ledger.touch(group);
    ledger.reconsider_groups();
    return Result<void>{};
}

Result<OpenGroup*> reopen_group(Ledger& ledger, std::int64_t id) {
    if (OpenGroup* group = ledger.group(id)) return group;
    const auto state = TRY(ledger.rows().groups.state_of(id));
    if (!state) return nullptr;
    OpenGroup& group = ledger.add_group(TRY(ledger.rows().groups.load(id)));
    const std::int64_t waiting = TRY(ledger.rows().urls.count_waiting(id));
    group.counters.queued += waiting;
    if (*state != JobState::cancelled) group.counters.skipped -= waiting;
    group.error.clear();
    for (const std::int64_t host : TRY(ledger.rows().urls.ready_hosts(id)))
        ledger.frontier.add_unread(id, host);
    TRY(ledger.rows().urls.for_each_delayed([&](const DelayedUrl& url) {
        if (url.group == id) ledger.delayed_urls.push(url.run_at, url.id);
    }));
    TRY(ledger.load_group_facts(group));
    ledger.ready.hold_group(id);
    set_state(ledger, group, JobState::queued);
    ledger.reconsider_groups();
    return &group;
}

Answer<void> set_owner_limits(Ledger& ledger, const std::string& name, const OwnerLimits& limits) {
    const int id = TRY(ledger.rows().owners.ensure(name));
    TRY(ledger.rows().owners.set_limits(id, limits));
    if (ledger.rows().owners.at(id).has_room()) {
        ledger.ready.open_owner(id);
    } else {
        ledger.ready.close_owner(id);
    }
    ledger.reconsider_groups();
    ledger.wake();
    return Result<void>{};
}

}  // namespace quarry::store
