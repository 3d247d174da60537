#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "store/rows/work.h"
#include "store/sqlite/reading/query.h"
#include "store/sqlite/reading/reading.h"

namespace quarry::store {

namespace {

constexpr std::string_view kind_of_urls = "fetch_page", kind_of_changes = "embed_page";

// A table that holds jobs: how its rows are read as one, and what the fields of a filter mean there.
struct Source {
    std::string_view kind{}, collection{}, state{};
    std::string_view columns{};  // the others of job_of, from `id` on
    std::string_view payload_columns = ", NULL, NULL";
    std::string_view from{};
    std::string_view payload_join{};
    std::string_view id{}, group{}, owner{}, since{};
    std::string_view row_state{};  // without the leases; "" if that says nothing
};

// A row in `lease` is what running means. Joins are written CROSS where SQLite could turn them around: the
// walk must be by id.
constexpr Source open_jobs = {
    .kind = "kind.name",
    .collection = "coalesce(grp.collection, '')",
    .state = "iif(lease.id IS NOT NULL, 1, job.state)",
    .columns =
        "job.id, job.priority, job.attempts, job.max_attempts, job.stalls, job.progress, owner.name, "
        "job.grp, job.unique_key, job.last_error, lease.worker, job.created_at, job.run_at, "
        "lease.leased_at, NULL, job.start_by, job.deadline, NULL",
    .payload_columns = ", payload.body, NULL",
    .from =
        " FROM job CROSS JOIN kind ON kind.id = job.kind CROSS JOIN owner ON owner.id = job.owner"
        " LEFT JOIN lease ON lease.id = job.id LEFT JOIN grp ON grp.id = job.grp",
    .payload_join = " LEFT JOIN payload ON payload.id = job.id",
    .id = "job.id",
    .group = "job.grp",
    .owner = "owner.name",
    .since = "job.created_at",
    .row_state = "job.state",
};

constexpr Source ended_jobs = {
    .kind = "kind.name",
    .collection = "coalesce(grp.collection, '')",
    .state = "done.state",
    .columns =
        "done.id, done.priority, done.attempts, done.max_attempts, done.stalls, "
        "iif(done.state = 2, 100, 0), owner.name, done.grp, done.unique_key, done.last_error, NULL, "
        "done.created_at, NULL, done.started_at, done.finished_at, NULL, done.deadline, NULL",
    .payload_columns = ", payload.body, done.result",
    .from =
        " FROM done CROSS JOIN kind ON kind.id = done.kind CROSS JOIN owner ON owner.id = done.owner"
        " LEFT JOIN grp ON grp.id = done.grp",
    .payload_join = " LEFT JOIN payload ON payload.id = done.id",
    .id = "done.id",
    .group = "done.grp",
    .owner = "owner.name",
    .since = "done.finished_at",
};

// A URL that was skipped has completed: nothing is left to do for it. What still waits in a group that is
// over has been skipped, or cancelled with it. Its time of creation is the group's; the table has none.
constexpr Source urls = {
    .kind = "'fetch_page'",
    .collection = "grp.collection",
    .state =
        "CASE WHEN frontier.state = 0 AND grp.state IN (2, 3) THEN 2"
        " WHEN frontier.state = 0 AND grp.state = 4 THEN 4"
        " WHEN frontier.state = 0 AND lease.id IS NOT NULL THEN 1"
        " WHEN frontier.state = 4 THEN 2 WHEN frontier.state = 5 THEN 4 ELSE frontier.state END",
    .columns =
        "frontier.id, grp.priority, frontier.attempts, 3, frontier.stalls, 0, owner.name, frontier.grp, "
        "NULL, frontier.note, lease.worker, grp.created_at, frontier.run_at, lease.leased_at, "
        "frontier.finished_at, NULL, NULL, frontier.url",
    .from =
        " FROM frontier CROSS JOIN grp ON grp.id = frontier.grp"
        " CROSS JOIN owner ON owner.id = grp.owner LEFT JOIN lease ON lease.id = frontier.id",
    .id = "frontier.id",
    .group = "+frontier.grp",  // the ids of a group's rows are a range already: the index would cost a sort
    .owner = "owner.name",
    .since = "coalesce(frontier.finished_at, grp.created_at)",
};

constexpr Source changes = {
    .kind = "'embed_page'",
    .collection = "outbox.collection",
    .state = "iif(lease.id IS NOT NULL, 1, outbox.state)",
    .columns =
        "outbox.id, outbox.priority, outbox.attempts, 3, outbox.stalls, 0, coalesce(owner.name, ''), "
        "outbox.grp, "
        "NULL, outbox.last_error, lease.worker, outbox.created_at, outbox.run_at, lease.leased_at, "
        "outbox.finished_at, NULL, NULL, outbox.url",
    .from =
        " FROM outbox LEFT JOIN lease ON lease.id = outbox.id LEFT JOIN grp ON grp.id = outbox.grp"
        " LEFT JOIN owner ON owner.id = grp.owner",
    .id = "outbox.id",
    .group = "outbox.grp",
    .owner = "coalesce(owner.name, 'local')",  // what no crawl brought is the local user's
    .since =
        "iif(outbox.state IN (0, 5), outbox.created_at, coalesce(outbox.finished_at, outbox.created_at))",
    .row_state = "outbox.state",
};

void narrow(Query& query, const Source& source, const JobFilter& filter, Timestamp now) {
    const auto equal = [](std::string_view expression) { return " AND " + std::string(expression) + " = ?"; };
    query.add_in(source.id, filter.ids);
    if (filter.group) {
        query.add(equal(source.group), *filter.group);
        // Whatever belongs to a group was made after it.
        query.add(" AND " + std::string(source.id) + " > ?", *filter.group);
    }
    if (!filter.kind.empty()) query.add(equal(source.kind), filter.kind);
    query.add_in(source.state, filter.states);
    if (!source.row_state.empty()) {
        // The few failed among a million that are done are found without asking who leases each.
        std::vector<JobState> states = filter.states;
        std::ranges::replace(states, JobState::running, JobState::queued);
        query.add_in(source.row_state, states);
    }
    if (!filter.owner.empty()) query.add(equal(source.owner), filter.owner);
    if (!filter.collection.empty()) query.add(equal(source.collection), filter.collection);
    if (filter.older_than) {
        query.add(" AND " + std::string(source.since) + " <= ?", column_of(now - *filter.older_than));
    }
}

std::string select(std::initializer_list<std::string_view> parts) {
    std::string sql = "SELECT ";
    for (const std::string_view part : parts) sql += part;
    return sql;
}

Result<void> read_from(db::Connection& connection, const Source& source, const JobQuery& page, Timestamp now,
                       std::vector<Job>& jobs) {
    Query query(select({source.kind, ", ", source.collection, ", ", source.state, ", ", source.columns,
                        page.with_payload ? source.payload_columns : ", NULL, NULL", source.from,
                        page.with_payload ? source.payload_join : "", " WHERE true"}));
    narrow(query, source, page.filter, now);
    if (page.after) query.add(" AND " + std::string(source.id) + " > ?", *page.after);
    const bool as_leased = page.order == JobQuery::Order::as_leased;
    query.add(as_leased ? " ORDER BY outbox.priority, " : " ORDER BY ");
    query.add(std::string(source.id) + " LIMIT ?", page.limit);
    return query.each(connection, [&](const db::Statement& row) { jobs.push_back(job_of(row)); });
}

std::vector<const Source*> sources_of_list(const JobFilter& filter) {
    if (filter.kind == kind_of_urls) return {&urls};
    if (filter.kind == kind_of_changes) return {&changes};
    std::vector<const Source*> sources = {&open_jobs, &ended_jobs};
    if (filter.kind.empty() && (filter.group || !filter.ids.empty())) sources.push_back(&urls);
    if (filter.kind.empty() && !filter.ids.empty()) sources.push_back(&changes);
    return sources;
}

using Counts = std::map<std::tuple<std::string, std::string, JobState>, std::int64_t>;

Result<void> count_from(db::Connection& connection, const Source& source, const JobFilter& filter,
                        Timestamp now, Counts& counts) {
    Query query(select({source.kind, ", ", source.collection, ", ", source.state, " AS state_now, count(*)",
                        source.from, " WHERE true"}));
    narrow(query, source, filter, now);
    query.add(" GROUP BY 1, 2, 3");
    return query.each(connection, [&](const db::Statement& row) {
        const auto state = static_cast<JobState>(row.integer(2));
        counts[{std::string(row.text(0)), std::string(row.text(1)), state}] += row.integer(3);
    });
}

// URLs are counted from their groups' counters: there may be millions of them. In a group that was cancelled,
// those that are counted nowhere were cancelled with it.
Result<void> count_urls(db::Connection& connection, const JobFilter& filter, Counts& counts) {
    Query query(
        "SELECT collection, queued, running, completed + skipped, failed,"
        " iif(state = 4, discovered - completed - skipped - failed, 0)"
        " FROM grp CROSS JOIN owner ON owner.id = grp.owner WHERE true");
    if (filter.group) query.add(" AND grp.id = ?", *filter.group);
    if (!filter.owner.empty()) query.add(" AND owner.name = ?", filter.owner);
    if (!filter.collection.empty()) query.add(" AND collection = ?", filter.collection);
    return query.each(connection, [&](const db::Statement& row) {
        constexpr std::array states = {JobState::queued, JobState::running, JobState::completed,
                                       JobState::failed, JobState::cancelled};
        for (std::size_t index = 0; index < states.size(); ++index) {
            const std::int64_t count = row.integer(static_cast<int>(index) + 1);
            const bool wanted = filter.states.empty() || std::ranges::count(filter.states, states[index]) > 0;
            if (count == 0 || !wanted) continue;
            counts[{std::string(kind_of_urls), std::string(row.text(0)), states[index]}] += count;
        }
    });
}

// So are changes, which are counted where they are made; those that run have leases.
Result<void> count_changes(db::Connection& connection, const JobFilter& filter, Counts& counts) {
    constexpr std::array states = {JobState::queued, JobState::running,   JobState::completed,
                                   JobState::failed, JobState::cancelled, JobState::paused};
    const auto add = [&](const db::Statement& row) {
        for (std::size_t index = 0; index < states.size(); ++index) {
            const std::int64_t count = row.integer(static_cast<int>(index) + 1);
            const bool wanted = filter.states.empty() || std::ranges::count(filter.states, states[index]) > 0;
            if (count == 0 || !wanted) continue;
            counts[{std::string(kind_of_changes), std::string(row.text(0)), states[index]}] += count;
        }
    };
    for (const char* sql : {"SELECT changes.collection, changes.queued, 0, changes.completed, "
                            "changes.failed, changes.cancelled, "
                            "changes.paused"
                            " FROM outbox_count AS changes",
                            "SELECT changes.collection, -1, 1, 0, 0, 0, 0"
                            " FROM lease CROSS JOIN outbox AS changes ON changes.id = lease.id"}) {
        Query query(
            std::string(sql) +
            " LEFT JOIN grp ON grp.id = changes.grp LEFT JOIN owner ON owner.id = grp.owner WHERE true");
        if (filter.group) query.add(" AND changes.grp = ?", *filter.group);
        if (!filter.owner.empty()) query.add(" AND coalesce(owner.name, 'local') = ?", filter.owner);
        if (!filter.collection.empty()) query.add(" AND changes.collection = ?", filter.collection);
        TRY(query.each(connection, add));
    }
    std::erase_if(counts, [](const auto& entry) { return entry.second == 0; });
    return {};
}

}  // namespace

Result<std::vector<Job>> read_jobs(db::Connection& connection, const JobQuery& page, Timestamp now) {
    std::vector<Job> jobs;
    for (const Source* source : sources_of_list(page.filter)) {
        TRY(read_from(connection, *source, page, now, jobs));
    }
    if (page.order == JobQuery::Order::as_leased) return jobs;
    // A job that ended between two reads would be seen twice, were this not one snapshot.
    std::ranges::sort(jobs, {}, &Job::id);
    if (std::ssize(jobs) > page.limit) jobs.resize(static_cast<std::size_t>(page.limit));
    return jobs;
}

Result<std::vector<StateCount>> read_job_counts(db::Connection& connection, const JobFilter& filter,
                                                Timestamp now) {
    Counts counts;
    const bool row_by_row = !filter.ids.empty() || filter.older_than;
    if (filter.kind.empty() || (filter.kind != kind_of_urls && filter.kind != kind_of_changes)) {
        TRY(count_from(connection, open_jobs, filter, now, counts));
        TRY(count_from(connection, ended_jobs, filter, now, counts));
    }
    if (filter.kind.empty() || filter.kind == kind_of_urls) {
        TRY(row_by_row ? count_from(connection, urls, filter, now, counts)
                       : count_urls(connection, filter, counts));
    }
    if (filter.kind.empty() || filter.kind == kind_of_changes) {
        TRY(row_by_row ? count_from(connection, changes, filter, now, counts)
                       : count_changes(connection, filter, counts));
    }
    std::vector<StateCount> result;
    for (const auto& [key, count] : counts) {
        result.push_back({.kind = std::get<0>(key),
                          .collection = std::get<1>(key),
                          .state = std::get<2>(key),
                          .count = count});
    }
    return result;
}

}  // namespace quarry::store
