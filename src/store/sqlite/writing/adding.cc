#include <map>
#include <string>

#include <fmt/format.h>

#include "store/sqlite/writing/operations.h"

namespace quarry::store {

namespace {

Result<std::optional<JobId>> holder_of_key(Ledger& ledger, const NewJob& job) {
    if (job.unique_key.empty()) return std::nullopt;
    const auto id = TRY(ledger.rows().jobs.find_unique(job.unique_key));
    if (!id) return std::nullopt;
    return JobId(*id);
}

Result<std::optional<Error>> unknown_group(Ledger& ledger, std::span<const NewJob> jobs) {
    for (const NewJob& job : jobs) {
        if (!job.group) continue;
        if (auto error = TRY(closed_group_error(ledger, *job.group))) return error;
    }
    return std::nullopt;
}

// What belongs to a group belongs to the group's owner, whatever the job says.
Result<int> owner_of(Ledger& ledger, const NewJob& job) {
    const OpenGroup* group = job.group ? ledger.group(number(*job.group)) : nullptr;
    if (group) return group->owner;
    return ledger.rows().owners.ensure(job.owner);
}

// How many jobs of each owner would be new.
Result<std::map<int, std::int64_t>> new_jobs_by_owner(Ledger& ledger, std::span<const NewJob> jobs) {
    std::map<int, std::int64_t> counts;
    for (const NewJob& job : jobs) {
        if (!TRY(holder_of_key(ledger, job))) ++counts[TRY(owner_of(ledger, job))];
    }
    return counts;
}

Result<std::optional<Error>> too_many(Ledger& ledger, std::span<const NewJob> jobs) {
    std::int64_t in_all = ledger.open_jobs();
    for (const auto& [id, count] : TRY(new_jobs_by_owner(ledger, jobs))) {
        const Owner& owner = ledger.rows().owners.at(id);
        if (owner.open_jobs + count > owner.limits.open_jobs) {
            return Error{ErrorCode::conflict,
                         fmt::format("{} has {} open jobs and may have {}: try again when some have ended",
                                     owner.name, owner.open_jobs, owner.limits.open_jobs)};
        }
        in_all += count;
    }
    if (in_all > ledger.limits().max_open_jobs) {
        return Error{ErrorCode::conflict,
                     fmt::format("the queue is full: it has {} open jobs and takes {}; try again later",
                                 ledger.open_jobs(), ledger.limits().max_open_jobs)};
    }
    return std::nullopt;
}

Result<std::optional<Error>> refusal_of(Ledger& ledger, std::span<const NewJob> jobs) {
    if (auto error = TRY(unknown_group(ledger, jobs))) return error;
    return too_many(ledger, jobs);
}

Result<void> admit_one(Ledger& ledger, OpenGroup& group, const FoundUrl& url) {
    if (ledger.known().contains(GroupId(group.id), url.key)) return {};
    if (group.has_aliases || group.counters.discovered >= group.url_limit) {
        if (TRY(ledger.rows().urls.find_key(group.id, url.key))) return {};
    }
    if (group.counters.discovered >= group.url_limit) {
        ++group.counters.not_admitted;
        ledger.touch(group);
        return {};
    }
    const std::int64_t host = TRY(ledger.rows().hosts.ensure(url.host));
    const std::int64_t id = ledger.last_id() + 1;
    ledger.will_be_known(group.id, url.key);
    if (!TRY(ledger.rows().urls.insert(id, group.id, host, url))) return {};
    ledger.next_id();  // taken only now, since most URLs are known
    ledger.frontier.add(group.id, host, {url.priority, id});
    ++group.counters.discovered;
    ++group.counters.queued;
    ledger.touch(group);
    return {};
}

Result<bool> is_begun_already(Ledger& ledger, const NewGroup& group) {
    if (group.request_key.empty()) return false;
    const int owner = TRY(ledger.rows().owners.ensure(group.owner));
    return ledger.rows().groups.has_request(owner, group.request_key);
}

Result<OpenGroup*> insert_group(Ledger& ledger, const NewGroup& group) {
    const std::int64_t id = ledger.next_id();
    const int owner = TRY(ledger.rows().owners.ensure(group.owner));
    TRY(ledger.rows().groups.insert(id, group, owner, ledger.now()));
    if (group.zero_retention) TRY(ledger.count_private_groups(1));
    OpenGroup& added = ledger.add_group(TRY(ledger.rows().groups.load(id)));
    TRY(ledger.load_group_facts(added));
    ledger.ready.hold_group(id);
    ledger.touch(added);
    ledger.tell_group(added);
    ledger.reconsider_groups();
    return &added;
}

}  // namespace

Result<Added> insert_job(Ledger& ledger, const NewJob& job) {
    if (const auto holder = TRY(holder_of_key(ledger, job))) return Added{.id = *holder, .existed = true};
    JobRow row{.id = ledger.next_id(),
               .place = {.kind = TRY(ledger.rows().kinds.ensure(job.kind)),
                         .priority = job.priority,
                         .owner = TRY(owner_of(ledger, job)),
                         .group = job.group ? number(*job.group) : 0},
               .run_at = job.run_at,
               .start_by = job.start_by,
               .deadline = job.deadline};
    TRY(ledger.rows().jobs.insert(row.id, row.place, job, ledger.now()));
    ledger.count_open_job(row.place.owner, row.place.group, 1);
    if (row.start_by) ledger.start_limits.push(*row.start_by, row.id);
    if (row.deadline) ledger.deadlines.push(*row.deadline, row.id);
    ledger.put_in_line(row);
    return Added{.id = JobId(row.id)};
}

Answer<std::vector<Added>> add_jobs(Ledger& ledger, std::span<const NewJob> jobs) {
    if (auto error = TRY(refusal_of(ledger, jobs))) {
        return Result<std::vector<Added>>(std::unexpected(*error));
    }
    std::vector<Added> added;
    added.reserve(jobs.size());
    for (const NewJob& job : jobs) added.push_back(TRY(insert_job(ledger, job)));
    return added;
}

Answer<GroupId> add_group(Ledger& ledger, const NewGroup& group, std::span<const NewJob> jobs_of_anyone,
                          std::span<const FoundUrl> seeds) {
    std::vector<NewJob> jobs(jobs_of_anyone.begin(), jobs_of_anyone.end());
    for (NewJob& job : jobs) job.owner = group.owner;
    if (auto error = TRY(too_many(ledger, jobs))) return Result<GroupId>(std::unexpected(*error));
    if (TRY(is_begun_already(ledger, group)))
        return Result<GroupId>(fail(ErrorCode::conflict, "Idempotency key already used"));
    OpenGroup& added = *TRY(insert_group(ledger, group));
    for (NewJob& job : jobs) {
        job.group = GroupId(added.id);
        TRY(insert_job(ledger, job));
    }
    TRY(admit(ledger, added, seeds));
    return GroupId(added.id);
}

Result<void> admit(Ledger& ledger, OpenGroup& group, std::span<const FoundUrl> urls) {
    const std::int64_t before = group.counters.discovered;
    for (const FoundUrl& url : urls) TRY(admit_one(ledger, group, url));
    if (group.counters.discovered != before) ledger.wake();
    return {};
}

}  // namespace quarry::store
