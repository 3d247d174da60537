#include "store/rows/work.h"
#include "store/sqlite/reading/query.h"
#include "store/sqlite/reading/reading.h"

namespace quarry::store {

namespace {

constexpr const char* select_groups =
    "SELECT " GROUP_COLUMNS
    ", (SELECT coalesce(sum(outbox_count.failed), 0) FROM outbox_count WHERE outbox_count.grp = "
    "grp.id), " GROUP_TIMES " FROM grp CROSS JOIN owner ON owner.id = grp.owner WHERE true";

}  // namespace

Result<std::vector<Group>> read_groups(db::Connection& connection, const GroupFilter& filter) {
    Query query(select_groups);
    if (!filter.owner.empty()) query.add(" AND owner.name = ?", filter.owner);
    if (!filter.kind.empty()) query.add(" AND grp.kind = ?", filter.kind);
    if (filter.before) query.add(" AND grp.id < ?", *filter.before);
    query.add_in("grp.state", filter.states).add(" ORDER BY grp.id DESC LIMIT ?", filter.limit);
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
    TRY(query.each(connection, [&](const db::Statement& row) { workers.push_back(worker_of(row)); }));
    return workers;
}

Result<std::vector<Schedule>> read_schedules(db::Connection& connection) {
    Query query("SELECT name, cron, job, grp, next_at FROM schedule ORDER BY name");
    std::vector<ScheduleRow> rows;
    TRY(query.each(connection, [&](const db::Statement& row) { rows.push_back(schedule_row_of(row)); }));
    return schedules_of(rows);
}

namespace {

// When a group is over, the rows that still wait are left as they are, for there may be a million of them:
// reading turns them into what they have become.
#define LEFT_OVER "(frontier.state = 0 AND grp.state IN (2, 3, 4))"
#define URL_STATE                                              \
    "CASE WHEN " LEFT_OVER                                     \
    " THEN iif(grp.state = 4, 5, 4)"                           \
    " WHEN lease.id IS NOT NULL AND frontier.state = 0 THEN 1" \
    " ELSE frontier.state END"
#define URL_SKIPPED "iif(" LEFT_OVER " AND grp.state <> 4, 7, frontier.skipped)"

static_assert(static_cast<int>(UrlState::running) == 1 && static_cast<int>(UrlState::skipped) == 4 &&
              static_cast<int>(UrlState::cancelled) == 5 && static_cast<int>(SkipReason::limit) == 7);
static_assert(static_cast<int>(JobState::completed) == 2 && static_cast<int>(JobState::failed) == 3 &&
              static_cast<int>(JobState::cancelled) == 4);

// Rows of a group have ids after its own, in order of discovery: walking the ids needs no index. The plus
// keeps SQLite from taking the index on (grp, key) and sorting.
constexpr const char* select_urls =
    "SELECT frontier.id, url, final_url, depth, source, " URL_STATE ", " URL_SKIPPED
    ", status, attempts, stalls, note, run_at, frontier.finished_at, content, frontier.error"
    " FROM grp CROSS JOIN frontier LEFT JOIN lease ON lease.id = frontier.id"
    " WHERE +frontier.grp = grp.id AND frontier.id <= coalesce(grp.last_id, 9223372036854775807)";

}  // namespace

Result<std::vector<FrontierUrl>> read_urls(db::Connection& connection, const UrlQuery& page) {
    Query query(select_urls);
    query.add(" AND grp.id = ?", page.group);
    query.add(" AND frontier.id > ?", page.after ? number(*page.after) : number(page.group));
    query.add_in(URL_STATE, page.states);
    if (page.skipped) query.add(" AND " URL_SKIPPED " = ?", static_cast<int>(*page.skipped));
    query.add(" ORDER BY frontier.id LIMIT ?", page.limit);
    std::vector<FrontierUrl> urls;
    TRY(query.each(connection, [&](const db::Statement& row) { urls.push_back(url_of(row, page.group)); }));
    return urls;
}

}  // namespace quarry::store
