#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "store/postgres/tables/urls.h"
#include "store/postgres/writing/operations.h"

namespace quarry::store::postgres {

namespace {

constexpr db::PgStatement key_holders_sql{"key_holders",
                                          "select key, id from quarry.job_key where key = any($1::text[])"};
constexpr db::PgStatement take_keys_sql{"take_keys", R"sql(
    insert into quarry.job_key(key, id) select * from unnest($1::text[], $2::bigint[]) order by 1
    on conflict (key) do nothing returning key)sql"};

constexpr db::PgStatement open_jobs_sql{"open_jobs", R"sql(
    select owner.id, coalesce(owner.open_jobs, $2),
           coalesce((select sum(open_jobs) from quarry.tally where tally.owner = owner.id), 0)::bigint
    from quarry.owner where owner.id = any($1::bigint[]))sql"};
constexpr db::PgStatement all_open_jobs_sql{"all_open_jobs",
                                            "select coalesce(sum(open_jobs), 0)::bigint from quarry.tally"};

using Holders = std::unordered_map<std::string, std::int64_t>;

Result<Holders> holders_of(Ledger& ledger, std::span<const NewJob> jobs) {
    std::vector<std::string> keys;
    for (const NewJob& job : jobs) {
        if (!job.unique_key.empty()) keys.push_back(job.unique_key);
    }
    Holders holders;
    if (keys.empty()) return holders;
    const db::PgRows rows = TRY(ledger.sql().run(key_holders_sql, db::PgValues(keys)));
    for (int row = 0; row < rows.size(); ++row)
        holders[std::string(rows.text(row, 0))] = rows.integer(row, 1);
    return holders;
}

Result<std::optional<Error>> unknown_group(Ledger& ledger, std::span<const NewJob> jobs) {
    std::set<std::int64_t> groups;
    for (const NewJob& job : jobs) {
        if (job.group) groups.insert(number(*job.group));
    }
    TRY(ledger.lock_groups(groups));
    for (const std::int64_t group : groups) {
        if (auto error = TRY(closed_group_error(ledger, GroupId(group)))) return error;
    }
    return std::nullopt;
}

// What belongs to a group belongs to the group's owner, whatever the job says.
Result<std::int64_t> owner_of(Ledger& ledger, const NewJob& job) {
    if (const OpenGroup* group = TRY(ledger.group(job.group ? number(*job.group) : 0))) return group->owner;
    return ledger.names().owner(job.owner);
}

// How many jobs there are and may be; and ids for the new ones, which are asked for last.
void ask_for_room(db::PgBatch& batch, const std::vector<std::int64_t>& owners, const StoreLimits& limits,
                  std::size_t ids) {
    batch.add(open_jobs_sql, db::PgValues(owners, limits.max_open_jobs_per_owner));
    batch.add(all_open_jobs_sql);
    Ledger::ask_for_ids(batch, ids);
}

Result<std::optional<Error>> too_many(Ledger& ledger, std::span<const NewJob> jobs) {
    const Holders holders = TRY(holders_of(ledger, jobs));
    std::map<std::int64_t, std::int64_t> by_owner;
    std::int64_t added = 0;
    for (const NewJob& job : jobs) {
        if (holders.contains(job.unique_key)) continue;
        ++by_owner[TRY(owner_of(ledger, job))];
        ++added;
    }
    if (added == 0) return std::nullopt;
    std::vector<db::PgRows> answers = ledger.take_opening();
    if (answers.empty()) {
        std::vector<std::int64_t> owners;
        for (const auto& [owner, count] : by_owner) owners.push_back(owner);
        db::PgBatch batch(ledger.sql());
        ask_for_room(batch, owners, ledger.limits(), jobs.size());
        answers = TRY(batch.run());
    }
    ledger.keep_ids(answers.back());
    if (answers.size() == 1) return std::nullopt;  // there is ample room
    const db::PgRows& rows = answers[0];
    const std::int64_t in_all = answers[1].integer(0, 0);
    for (int row = 0; row < rows.size(); ++row) {
        const std::int64_t limit = rows.integer(row, 1), open = rows.integer(row, 2);
        ledger.process().open_room.set(rows.integer(row, 0),
                                       std::min(limit - open, ledger.limits().max_open_jobs - in_all));
        if (open + by_owner[rows.integer(row, 0)] <= limit) continue;
        return Error{ErrorCode::conflict,
                     fmt::format("{} has {} open jobs and may have {}: try again when some have ended",
                                 TRY(ledger.names().owner_name(rows.integer(row, 0))), open, limit)};
    }
    if (in_all + added > ledger.limits().max_open_jobs) {
        return Error{ErrorCode::conflict,
                     fmt::format("the queue is full: it has {} open jobs and takes {}; try again later",
                                 in_all, ledger.limits().max_open_jobs)};
    }
    return std::nullopt;
}

// Takes the keys that are free for the jobs that have them. Holders of the others are added to `holders`.
Result<void> take_keys(Ledger& ledger, Holders wanted, Holders& holders) {
    // A key that somebody else has may be free again by the time one looks who that is.
    while (!wanted.empty()) {
        std::vector<std::string> keys;
        db::PgIntegers ids;
        for (const auto& [key, id] : wanted) {
            keys.push_back(key);
            ids.emplace_back(id);
        }
        const db::PgRows taken = TRY(ledger.sql().run(take_keys_sql, db::PgValues(keys, ids)));
        for (int row = 0; row < taken.size(); ++row) wanted.erase(std::string(taken.text(row, 0)));
        if (wanted.empty()) return {};
        const db::PgRows rows = TRY(ledger.sql().run(key_holders_sql, db::PgValues(keys)));
        for (int row = 0; row < rows.size(); ++row) {
            const std::string key(rows.text(row, 0));
            if (wanted.erase(key) > 0) holders[key] = rows.integer(row, 1);
        }
    }
    return {};
}

Result<JobRow> row_of(Ledger& ledger, const NewJob& job, std::int64_t id) {
    JobRow row{.id = id,
               .kind = TRY(ledger.names().kind(job.kind)),
               .priority = job.priority,
               .owner = TRY(owner_of(ledger, job)),
               .group = job.group ? number(*job.group) : 0,
               .max_attempts = job.max_attempts,
               .zero_retention = job.zero_retention,
               .created_at = ledger.now(),
               .run_at = job.run_at,
               .start_by = job.start_by,
               .deadline = job.deadline};
    if (!job.unique_key.empty()) row.unique_key = job.unique_key;
    return row;
}

}  // namespace

Result<std::vector<Added>> insert_jobs(Ledger& ledger, std::vector<NewJob> jobs) {
    std::vector<Added> added;
    if (jobs.empty()) return added;
    added.reserve(jobs.size());
    const std::vector<std::int64_t> ids = TRY(ledger.new_ids(jobs.size()));
    Holders holders = TRY(holders_of(ledger, jobs));
    Holders wanted;
    for (std::size_t index = 0; index < jobs.size(); ++index) {
        const std::string& key = jobs[index].unique_key;
        if (!key.empty() && !holders.contains(key)) wanted.try_emplace(key, ids[index]);
    }
    TRY(take_keys(ledger, wanted, holders));
    for (std::size_t index = 0; index < jobs.size(); ++index) {
        const NewJob& job = jobs[index];
        if (const auto holder = holders.find(job.unique_key); holder != holders.end()) {
            added.push_back({.id = JobId(holder->second), .existed = true});
            continue;
        }
        if (!job.unique_key.empty() && wanted.at(job.unique_key) != ids[index]) {
            added.push_back({.id = JobId(wanted.at(job.unique_key)), .existed = true});
            continue;
        }
        JobRow row = TRY(row_of(ledger, job, ids[index]));
        TRY(ledger.count_open_job(row.owner, row.group, 1));
        ledger.add_payload(row.id, job.payload);
        ledger.put_in_line(std::move(row));
        added.push_back({.id = JobId(ids[index])});
    }
    return added;
}

void ask_before_adding(db::PgBatch& batch, Process& process, std::span<const NewJob> jobs) {
    std::set<std::int64_t> owners;
    for (const NewJob& job : jobs) {
        const auto owner = process.names.known_owner(job.owner);
        if (job.group || !job.unique_key.empty() || !owner) return;
        owners.insert(*owner);
    }
    const std::vector<std::int64_t> all(owners.begin(), owners.end());
    if (process.open_room.is_ample(all, std::ssize(jobs)))
        Ledger::ask_for_ids(batch, jobs.size());
    else
        ask_for_room(batch, all, process.limits, jobs.size());
}

Answer<std::vector<Added>> add_jobs(Ledger& ledger, std::span<const NewJob> jobs) {
    using Refused = Result<std::vector<Added>>;
    if (auto error = TRY(unknown_group(ledger, jobs))) return Refused(std::unexpected(*error));
    if (auto error = TRY(too_many(ledger, jobs))) return Refused(std::unexpected(*error));
    return TRY(insert_jobs(ledger, {jobs.begin(), jobs.end()}));
}

Answer<GroupId> add_group(Ledger& ledger, const NewGroup& group, std::span<const NewJob> jobs_of_anyone,
                          std::span<const FoundUrl> seeds) {
    std::vector<NewJob> jobs(jobs_of_anyone.begin(), jobs_of_anyone.end());
    for (NewJob& job : jobs) job.owner = group.owner;
    for (NewJob& job : jobs) job.group.reset();
    if (auto error = TRY(too_many(ledger, jobs))) return Result<GroupId>(std::unexpected(*error));
    const std::int64_t owner = TRY(ledger.names().owner(group.owner));
    const bool is_begun =
        !group.request_key.empty() && TRY(has_request(ledger.sql(), owner, group.request_key));
    if (is_begun) return refuse<GroupId>(ErrorCode::conflict, "Idempotency key already used");
    const std::int64_t id = TRY(ledger.new_id());
    TRY(insert_group(ledger.sql(), id, group, owner, ledger.now()));
    OpenGroup& added = *TRY(ledger.group(id));
    ledger.touch(added);
    ledger.tell_group(added);
    ledger.reconsider_groups();
    for (NewJob& job : jobs) job.group = GroupId(id);
    TRY(insert_jobs(ledger, std::move(jobs)));
    TRY(admit(ledger, added, seeds));
    return GroupId(id);
}

}  // namespace quarry::store::postgres
