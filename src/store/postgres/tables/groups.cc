#include "store/postgres/tables/groups.h"

#include <algorithm>

#include <boost/json.hpp>

#include "store/rows/columns.h"

namespace quarry::store::postgres {

namespace {

constexpr db::PgStatement insert_group_sql{"insert_group", R"sql(
    insert into quarry.grp(id, kind, name, options, collection, site, owner, state, priority, company, page_limit,
                           url_limit, index_pages, zero_retention, closing_jobs, roots, error, created_at,
                           request_key, keep_ms, keep_failed_ms, page_keeping, request_id)
    values ($1, $2, $3, $4, $5, $6, $7, 0, $8, $9, $10, $11, $12, $13, $14, '[]', '', $15, $16, $17, $18, $19,
            $20))sql"};

#define LOCK_GROUPS(how)                                                                                  \
    "select id, owner, company, page_limit, url_limit, collection, site, index_pages, zero_retention, "   \
    "closing_jobs, state, priority, error, started_at, finished_at, has_aliases, jobs_open, discovered, " \
    "queued, running, completed, failed, skipped, unchanged, duplicates, gone, not_admitted, removed, "   \
    "bytes, page_keeping from quarry.grp where id = any($1::bigint[]) order by id for update" how
constexpr db::PgStatement lock_sql{"lock_groups", LOCK_GROUPS("")};
constexpr db::PgStatement lock_free_sql{"lock_free_groups", LOCK_GROUPS(" skip locked")};

constexpr db::PgStatement save_sql{"save_group", R"sql(
    update quarry.grp set state = $2, priority = $3, error = $4, started_at = $5, finished_at = $6, has_aliases = $7,
                          jobs_open = $8, discovered = $9, queued = $10, running = $11, completed = $12,
                          failed = $13, skipped = $14, unchanged = $15, duplicates = $16, gone = $17,
                          not_admitted = $18, removed = $19, bytes = $20,
                          last_id = case when $6::bigint is null then null
                                         else coalesce(last_id, (select last_value from quarry.id)) end
    where id = $1)sql"};

constexpr db::PgStatement save_later_sql{"save_closing_jobs",
                                         "update quarry.grp set closing_jobs = $2 where id = $1"};
constexpr db::PgStatement roots_sql{"group_roots", "select roots from quarry.grp where id = $1"};
constexpr db::PgStatement save_roots_sql{"save_roots", "update quarry.grp set roots = $2 where id = $1"};
constexpr db::PgStatement request_sql{
    "group_of_request", "select id from quarry.grp where owner = $1::int4 and request_key = $2"};

GroupCounters counters_of(const db::PgRow& row, int first) {
    return {.jobs_open = row.integer(first),
            .discovered = row.integer(first + 1),
            .queued = row.integer(first + 2),
            .running = row.integer(first + 3),
            .completed = row.integer(first + 4),
            .failed = row.integer(first + 5),
            .skipped = row.integer(first + 6),
            .unchanged = row.integer(first + 7),
            .duplicates = row.integer(first + 8),
            .gone = row.integer(first + 9),
            .not_admitted = row.integer(first + 10),
            .removed = row.integer(first + 11),
            .bytes = row.integer(first + 12)};
}

Result<OpenGroup> group_of(const db::PgRow& row) {
    const int priority = static_cast<int>(row.integer(11));
    LaterJobs later = TRY(later_jobs_from_json(row.text(9)));
    return OpenGroup{.id = row.integer(0),
                     .owner = row.integer(1),
                     .concurrency = static_cast<Concurrency>(row.integer(2)),
                     .page_limit = row.integer(3),
                     .url_limit = row.integer(4),
                     .pages = {.group = row.integer(0),
                               .collection = std::string(row.text(5)),
                               .site = std::string(row.text(6)),
                               .index_pages = row.boolean(7),
                               .zero_retention = row.boolean(8),
                               .priority = priority,
                               .keeping = page_keeping_of(row.integer(29))},
                     .later = std::move(later),
                     .has_aliases = row.boolean(15),
                     .state = static_cast<JobState>(row.integer(10)),
                     .priority = priority,
                     .counters = counters_of(row, 16),
                     .error = std::string(row.text(12)),
                     .started_at = time_of(row.optional_integer(13)),
                     .finished_at = time_of(row.optional_integer(14))};
}

}  // namespace

Result<void> insert_group(db::PgConnection& sql, std::int64_t id, const NewGroup& group, std::int64_t owner,
                          Timestamp now) {
    const std::string closing_jobs = later_jobs_to_json({group.closing_jobs, group.notice});
    std::optional<std::string_view> request_key;
    if (!group.request_key.empty()) request_key = group.request_key;
    std::optional<std::int64_t> keep, keep_failed;
    if (group.keeping) keep = group.keeping->completed.count();
    if (group.keeping) keep_failed = group.keeping->failed.count();
    TRY(sql.run(
        insert_group_sql,
        db::PgValues(id, group.kind, group.name, group.options, group.collection, group.site, owner,
                     group.priority, static_cast<int>(group.concurrency), group.page_limit, group.url_limit,
                     group.index_pages, group.zero_retention, closing_jobs, column_of(now), request_key, keep,
                     keep_failed, static_cast<int>(group.page_keeping), group.request_id)));
    return {};
}

Result<std::vector<OpenGroup>> lock_groups(db::PgConnection& sql, const std::vector<std::int64_t>& ids,
                                           IfLocked if_locked) {
    const db::PgRows rows =
        TRY(sql.run(if_locked == IfLocked::wait ? lock_sql : lock_free_sql, db::PgValues(ids)));
    std::vector<OpenGroup> groups;
    for (int row = 0; row < rows.size(); ++row) groups.push_back(TRY(group_of(db::PgRow(rows, row))));
    return groups;
}

void save_group(db::PgConnection& sql, const OpenGroup& group) {
    const GroupCounters& counters = group.counters;
    sql.later(save_sql, db::PgValues(group.id, static_cast<int>(group.state), group.priority, group.error,
                                     column_of(group.started_at), column_of(group.finished_at),
                                     group.has_aliases, counters.jobs_open, counters.discovered,
                                     counters.queued, counters.running, counters.completed, counters.failed,
                                     counters.skipped, counters.unchanged, counters.duplicates, counters.gone,
                                     counters.not_admitted, counters.removed, counters.bytes));
}

Result<void> save_later_jobs(db::PgConnection& sql, const OpenGroup& group) {
    const std::string left = later_jobs_to_json(group.later);
    TRY(sql.run(save_later_sql, db::PgValues(group.id, left)));
    return {};
}

Result<void> add_roots(db::PgConnection& sql, std::int64_t id, const std::vector<std::string>& roots) {
    const db::PgRows rows = TRY(sql.run(roots_sql, db::PgValues(id)));
    boost::system::error_code error;
    boost::json::value value = boost::json::parse(rows.empty() ? "[]" : rows.text(0, 0), error);
    if (error || !value.is_array()) return fail(ErrorCode::corrupt, "a group's roots are no list");
    boost::json::array& list = value.get_array();
    for (const std::string& root : roots) {
        const bool is_known = std::ranges::any_of(
            list, [&](const auto& known) { return known.is_string() && known.get_string() == root; });
        if (!is_known) list.emplace_back(root);
    }
    const std::string json = boost::json::serialize(list);
    TRY(sql.run(save_roots_sql, db::PgValues(id, json)));
    return {};
}

Result<bool> has_request(db::PgConnection& sql, std::int64_t owner, const std::string& request_key) {
    return !TRY(sql.run(request_sql, db::PgValues(owner, request_key))).empty();
}

}  // namespace quarry::store::postgres
