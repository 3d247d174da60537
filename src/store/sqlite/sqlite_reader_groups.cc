#include "store/sqlite/sqlite_reader_groups.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include "store/job_json.h"
#include "store/sqlite/columns.h"
#include "store/sqlite/sqlite_reader_query.h"

namespace quarry::store {

namespace {

constexpr const char* select_groups = R"sql(
    SELECT grp.id, grp.kind, grp.name, options, collection, owner.name, state, priority, company, page_limit,
           index_pages, roots, error, created_at, started_at, finished_at,
           jobs_open, discovered, queued, running, completed, failed, skipped, unchanged, duplicates, gone,
           not_admitted, removed, bytes, indexed,
           (SELECT coalesce(sum(outbox_count.failed), 0) FROM outbox_count WHERE outbox_count.grp = grp.id), chunks,
           fetch_us, extract_us, chunk_us, embed_us, index_us
    FROM grp CROSS JOIN owner ON owner.id = grp.owner
    WHERE true)sql";

std::vector<std::string> roots_of(std::string_view text) {
    std::vector<std::string> roots;
    boost::json::error_code error;
    const boost::json::value value = boost::json::parse(text, error);
    if (error || !value.is_array()) return roots;
    for (const auto& root : value.get_array()) {
        if (root.is_string()) roots.emplace_back(root.get_string());
    }
    return roots;
}

GroupCounters counters_of(const db::Statement& row, int column) {
    return {
        .jobs_open = row.integer(column),
        .discovered = row.integer(column + 1),
        .queued = row.integer(column + 2),
        .running = row.integer(column + 3),
        .completed = row.integer(column + 4),
        .failed = row.integer(column + 5),
        .skipped = row.integer(column + 6),
        .unchanged = row.integer(column + 7),
        .duplicates = row.integer(column + 8),
        .gone = row.integer(column + 9),
        .not_admitted = row.integer(column + 10),
        .removed = row.integer(column + 11),
        .bytes = row.integer(column + 12),
        .indexed = row.integer(column + 13),
        .index_failed = row.integer(column + 14),
        .chunks = row.integer(column + 15),
    };
}

Timings timings_of(const db::Statement& row, int column) {
    using std::chrono::microseconds;
    return {.fetch = microseconds(row.integer(column)),
            .extract = microseconds(row.integer(column + 1)),
            .chunk = microseconds(row.integer(column + 2)),
            .embed = microseconds(row.integer(column + 3)),
            .index = microseconds(row.integer(column + 4)),
            .chunks = row.integer(column - 1)};
}

// A schedule as it is stored.
struct ScheduleRow {
    std::string name{}, cron{}, jobs{}, group{};
    Timestamp next_at{};
};

Result<Schedule> schedule_of(const ScheduleRow& row) {
    Schedule schedule{.name = row.name, .cron = row.cron, .next_at = row.next_at};
    std::vector<NewJob> jobs = TRY(jobs_from_json(row.jobs));
    if (!jobs.empty()) schedule.job = std::move(jobs.front());
    if (!row.group.empty()) schedule.group = TRY(group_from_json(row.group));
    return schedule;
}

Group group_of(const db::Statement& row) {
    return {
        .id = GroupId{row.integer(0)},
        .kind = std::string(row.text(1)),
        .name = std::string(row.text(2)),
        .options = std::string(row.text(3)),
        .collection = std::string(row.text(4)),
        .owner = std::string(row.text(5)),
        .state = static_cast<JobState>(row.integer(6)),
        .priority = static_cast<int>(row.integer(7)),
        .company = static_cast<Company>(row.integer(8)),
        .page_limit = row.integer(9),
        .index_pages = row.integer(10) != 0,
        .counters = counters_of(row, 16),
        .timings = timings_of(row, 32),
        .roots = roots_of(row.text(11)),
        .error = std::string(row.text(12)),
        .created_at = time_of(row.integer(13)),
        .started_at = time_of(row.optional_integer(14)),
        .finished_at = time_of(row.optional_integer(15)),
    };
}

}  // namespace

Result<std::vector<Group>> read_groups(db::Connection& connection, const GroupFilter& filter) {
    Query query(select_groups);
    if (!filter.owner.empty()) query.add(" AND owner.name = ?", filter.owner);
    if (!filter.kind.empty()) query.add(" AND grp.kind = ?", filter.kind);
    if (filter.before) query.add(" AND grp.id < ?", *filter.before);
    query.add_in("state", filter.states).add(" ORDER BY grp.id DESC LIMIT ?", filter.limit);
    std::vector<Group> groups;
    TRY(query.each(connection, [&](const db::Statement& row) { groups.push_back(group_of(row)); }));
    return groups;
}

Result<Group> read_group(db::Connection& connection, GroupId id) {
    Query query(select_groups);
    query.add(" AND grp.id = ?", id);
    std::optional<Group> group;
    TRY(query.each(connection, [&](const db::Statement& row) { group = group_of(row); }));
    if (!group) return fail(ErrorCode::not_found, "no such crawl");
    return *std::move(group);
}

Result<std::int64_t> read_position(db::Connection& connection, GroupId id) {
    // Groups of an owner begin by priority, then by age.
    Query query(R"sql(
        SELECT count(*) FROM grp AS waiting CROSS JOIN grp AS other
        WHERE waiting.state = 0 AND other.state = 0
          AND other.owner = waiting.owner
          AND (other.priority, other.id) <= (waiting.priority, waiting.id))sql");
    query.add(" AND waiting.id = ?", id);
    std::int64_t position = 0;
    TRY(query.each(connection, [&](const db::Statement& row) { position = row.integer(0); }));
    return position;
}

Result<std::vector<std::string>> read_current_urls(db::Connection& connection, GroupId id, int limit) {
    // From the leases, of which there are few, and not from the frontier.
    Query query("SELECT url FROM lease CROSS JOIN frontier ON frontier.id = lease.id WHERE true");
    query.add(" AND grp = ?", id).add(" ORDER BY leased_at DESC, lease.id LIMIT ?", limit);
    std::vector<std::string> urls;
    TRY(query.each(connection, [&](const db::Statement& row) { urls.emplace_back(row.text(0)); }));
    return urls;
}

Result<std::vector<WorkerInfo>> read_workers(db::Connection& connection) {
    Query query(R"sql(
        SELECT id, name, beat_at, (SELECT count(*) FROM lease WHERE lease.worker = worker.id)
        FROM worker ORDER BY id)sql");
    std::vector<WorkerInfo> workers;
    TRY(query.each(connection, [&](const db::Statement& row) {
        workers.push_back({.id = WorkerId{row.integer(0)},
                           .name = std::string(row.text(1)),
                           .beat_at = time_of(row.integer(2)),
                           .running = row.integer(3)});
    }));
    return workers;
}

Result<std::vector<Schedule>> read_schedules(db::Connection& connection) {
    Query query("SELECT name, cron, job, grp, next_at FROM schedule ORDER BY name");
    std::vector<ScheduleRow> rows;
    TRY(query.each(connection, [&](const db::Statement& row) {
        rows.push_back({.name = std::string(row.text(0)),
                        .cron = std::string(row.text(1)),
                        .jobs = std::string(row.text(2)),
                        .group = std::string(row.text(3)),
                        .next_at = time_of(row.integer(4))});
    }));
    std::vector<Schedule> schedules;
    for (const ScheduleRow& row : rows) schedules.push_back(TRY(schedule_of(row)));
    return schedules;
}

}  // namespace quarry::store
