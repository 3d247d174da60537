#include <algorithm>

#include "store/postgres/reading/query.h"
#include "store/postgres/reading/reading.h"
#include "store/rows/work.h"

namespace quarry::store::postgres {

namespace {

constexpr const char* select_groups =
    "select " GROUP_COLUMNS
    ", (select coalesce(sum(changes.failed), 0)::bigint from quarry.outbox_count as changes"
    " where changes.grp = grp.id), " GROUP_TIMES
    " from quarry.grp join quarry.owner on owner.id = grp.owner where true";

bool are_open(const std::vector<JobState>& states) {
    return !states.empty() && std::ranges::all_of(states, [](JobState state) {
        return state == JobState::queued || state == JobState::running || state == JobState::paused;
    });
}

}  // namespace

Result<std::vector<Group>> read_groups(db::PgConnection& connection, const GroupFilter& filter) {
    Query query(select_groups);
    // By its number, which the index has.
    if (!filter.owner.empty())
        query.add(" and grp.owner = (select id from quarry.owner where name = ?)", filter.owner);
    if (!filter.kind.empty()) query.add(" and grp.kind = ?", filter.kind);
    // The others are few beside single pages, and have an index of their own.
    if (!filter.kind.empty() && filter.kind != "scrape") query.add(" and grp.kind <> 'scrape'");
    if (filter.before) query.add(" and grp.id < ?", *filter.before);
    // The few open ones are found by their own index.
    if (are_open(filter.states)) query.add(" and grp.finished_at is null");
    query.add_in("grp.state", filter.states).add(" order by grp.id desc limit ?", filter.limit);
    std::vector<Group> groups;
    TRY(query.each(connection, [&](const db::PgRow& row) { groups.push_back(group_of(row)); }));
    return groups;
}

Result<Group> read_group(db::PgConnection& connection, GroupId id) {
    Query query(select_groups);
    query.add(" and grp.id = ?", id);
    std::optional<Group> group;
    TRY(query.each(connection, [&](const db::PgRow& row) { group = group_of(row); }));
    if (!group) return fail(ErrorCode::not_found, "no such crawl");
    return *std::move(group);
}

Result<std::int64_t> read_position(db::PgConnection& connection, GroupId id) {
    // Groups of an owner begin by priority, then by age.
    Query query(R"sql(
        select count(*) from quarry.grp as waiting join quarry.grp as other on other.owner = waiting.owner
        where waiting.state = 0 and other.state = 0 and other.finished_at is null
          and (other.priority, other.id) <= (waiting.priority, waiting.id))sql");
    query.add(" and waiting.id = ?", id);
    std::int64_t position = 0;
    TRY(query.each(connection, [&](const db::PgRow& row) { position = row.integer(0); }));
    return position;
}

Result<std::vector<std::string>> read_current_urls(db::PgConnection& connection, GroupId id, int limit) {
    Query query(
        "select frontier.url from quarry.url_lease join quarry.frontier on frontier.id = url_lease.id"
        " where true");
    query.add(" and url_lease.grp = ?", id);
    query.add(" order by url_lease.leased_at desc, url_lease.id limit ?", limit);
    std::vector<std::string> urls;
    TRY(query.each(connection, [&](const db::PgRow& row) { urls.emplace_back(row.text(0)); }));
    return urls;
}

Result<std::vector<WorkerInfo>> read_workers(db::PgConnection& connection) {
    const Query query(R"sql(
        select worker.id, worker.name, worker.beat_at, coalesce(leases.count, 0)
        from quarry.worker left join (
            select worker, count(*) from (select worker from quarry.lease
                                          union all select worker from quarry.url_lease
                                          union all select worker from quarry.change_lease) as lease
            group by worker) as leases on leases.worker = worker.id
        where not worker.is_dead order by worker.id)sql");
    std::vector<WorkerInfo> workers;
    TRY(query.each(connection, [&](const db::PgRow& row) { workers.push_back(worker_of(row)); }));
    return workers;
}

Result<std::vector<Schedule>> read_schedules(db::PgConnection& connection) {
    const Query query(
        "select name, cron, job, grp, next_at from quarry.schedule order by name collate \"C\"");
    std::vector<ScheduleRow> rows;
    TRY(query.each(connection, [&](const db::PgRow& row) { rows.push_back(schedule_row_of(row)); }));
    return schedules_of(rows);
}

namespace {

// When a group is over, the rows that still wait are left as they are, for there may be a million of them:
// reading turns them into what they have become.
#define LEFT_OVER "(frontier.state = 0 and grp.state in (2, 3, 4))"
#define URL_STATE                                                  \
    "case when " LEFT_OVER                                         \
    " then case when grp.state = 4 then 5 else 4 end"              \
    " when url_lease.id is not null and frontier.state = 0 then 1" \
    " else frontier.state end"
#define URL_SKIPPED "case when " LEFT_OVER " and grp.state <> 4 then 7 else frontier.skipped end"

static_assert(static_cast<int>(UrlState::running) == 1 && static_cast<int>(UrlState::failed) == 3 &&
              static_cast<int>(UrlState::skipped) == 4 && static_cast<int>(UrlState::cancelled) == 5 &&
              static_cast<int>(SkipReason::limit) == 7);
static_assert(static_cast<int>(JobState::completed) == 2 && static_cast<int>(JobState::failed) == 3 &&
              static_cast<int>(JobState::cancelled) == 4);

constexpr const char* select_urls =
    "select frontier.id, frontier.url, final_url, depth, source, " URL_STATE ", " URL_SKIPPED
    ", status, attempts, stalls, note, run_at, frontier.finished_at, content, frontier.error"
    " from quarry.frontier join quarry.grp on grp.id = frontier.grp"
    " left join quarry.url_lease on url_lease.id = frontier.id where true";

}  // namespace

Result<std::vector<FrontierUrl>> read_urls(db::PgConnection& connection, const UrlQuery& page) {
    Query query(select_urls);
    query.add(" and frontier.grp = ?", page.group);
    query.add(" and frontier.id > ?", page.after ? number(*page.after) : number(page.group));
    // The few that failed are found by their own index; those that are fetched by their leases.
    if (page.states == std::vector{UrlState::failed}) query.add(" and frontier.state = 3");
    if (page.states == std::vector{UrlState::running}) query.add(" and url_lease.grp = ?", page.group);
    query.add_in(URL_STATE, page.states);
    if (page.skipped) query.add(" and " URL_SKIPPED " = ?", static_cast<int>(*page.skipped));
    query.add(" order by frontier.id limit ?", page.limit);
    std::vector<FrontierUrl> urls;
    TRY(query.each(connection, [&](const db::PgRow& row) { urls.push_back(url_of(row, page.group)); }));
    return urls;
}

}  // namespace quarry::store::postgres
