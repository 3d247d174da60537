#include "store/sqlite/tables/groups.h"

#include <algorithm>
#include <utility>

#include <boost/json.hpp>

#include "store/rows/columns.h"

namespace quarry::store {

namespace {

constexpr std::string_view no_list = "[]";

// The columns that group_of() reads, in its order.
#define GROUP_COLUMNS                                                                                       \
    "id, owner, company, page_limit, url_limit, collection, site, index_pages, zero_retention, "            \
    "closing_jobs, state, priority, error, started_at, jobs_open, discovered, queued, running, completed, " \
    "failed, skipped, unchanged, duplicates, gone, not_admitted, removed, bytes, page_keeping"

GroupCounters counters_of(const db::Statement& row, int first) {
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

OpenGroup group_of(const db::Statement& row) {
    const int priority = static_cast<int>(row.integer(11));
    return {.id = row.integer(0),
            .owner = static_cast<int>(row.integer(1)),
            .concurrency = static_cast<Concurrency>(row.integer(2)),
            .page_limit = row.integer(3),
            .url_limit = row.integer(4),
            .pages = {.group = GroupId(row.integer(0)),
                      .collection = std::string(row.text(5)),
                      .site = std::string(row.text(6)),
                      .index_pages = row.integer(7) != 0,
                      .zero_retention = row.integer(8) != 0,
                      .priority = priority,
                      .keeping = page_keeping_of(row.integer(27))},
            .has_closing_jobs = row.text(9) != no_list,
            .has_notice = row.text(9) != no_list,
            .state = static_cast<JobState>(row.integer(10)),
            .priority = priority,
            .counters = counters_of(row, 14),
            .error = std::string(row.text(12)),
            .started_at = time_of(row.optional_integer(13))};
}

}  // namespace

Result<GroupRows> GroupRows::create(db::Connection& connection) {
    Statements sql;
    sql.insert = TRY(connection.prepare(R"sql(
        INSERT INTO grp(id, kind, name, options, collection, site, owner, state, priority, company, page_limit,
                        url_limit, index_pages, zero_retention, closing_jobs, roots, error, created_at,
                        jobs_open, discovered, queued, running, completed, failed, skipped, unchanged,
                        duplicates, gone, not_admitted, removed, bytes, request_key, keep_ms, keep_failed_ms,
                        page_keeping, request_id)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, ?8, ?9, ?10, ?11, ?12, ?13, ?14, '[]', '', ?15,
                0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ?16, ?17, ?18, ?19, ?20))sql"));
    sql.save = TRY(connection.prepare(R"sql(
        UPDATE grp SET state = ?2, priority = ?3, error = ?4, started_at = ?5, finished_at = ?6, last_id = ?7,
                       jobs_open = ?8, discovered = ?9, queued = ?10, running = ?11, completed = ?12,
                       failed = ?13, skipped = ?14, unchanged = ?15, duplicates = ?16, gone = ?17,
                       not_admitted = ?18, removed = ?19, bytes = ?20
        WHERE id = ?1)sql"));
    sql.add = TRY(connection.prepare(R"sql(
        UPDATE grp SET indexed = indexed + ?2, chunks = chunks + ?3, fetch_us = fetch_us + ?4,
                       extract_us = extract_us + ?5, chunk_us = chunk_us + ?6, embed_us = embed_us + ?7,
                       index_us = index_us + ?8, words_us = words_us + ?9
        WHERE id = ?1)sql"));
    sql.set_index_pages = TRY(connection.prepare("UPDATE grp SET index_pages = 1 WHERE id = ?1"));
    sql.open = TRY(connection.prepare("SELECT " GROUP_COLUMNS " FROM grp WHERE finished_at IS NULL"));
    sql.find = TRY(connection.prepare("SELECT " GROUP_COLUMNS " FROM grp WHERE id = ?1"));
    sql.find_request = TRY(connection.prepare("SELECT id FROM grp WHERE owner = ?1 AND request_key = ?2"));
    sql.state = TRY(connection.prepare("SELECT state FROM grp WHERE id = ?1"));
    sql.closing_jobs = TRY(connection.prepare("SELECT closing_jobs FROM grp WHERE id = ?1"));
    sql.set_closing_jobs = TRY(connection.prepare("UPDATE grp SET closing_jobs = ?2 WHERE id = ?1"));
    sql.roots = TRY(connection.prepare("SELECT roots FROM grp WHERE id = ?1"));
    sql.set_roots = TRY(connection.prepare("UPDATE grp SET roots = ?2 WHERE id = ?1"));
    return GroupRows(std::move(sql));
}

Result<void> GroupRows::insert(std::int64_t id, const NewGroup& group, int owner, Timestamp now) {
    const std::string closing_jobs = later_jobs_to_json({group.closing_jobs, group.notice});
    std::optional<std::string_view> request_key;
    if (!group.request_key.empty()) request_key = group.request_key;
    std::optional<std::int64_t> keep, keep_failed;
    if (group.keeping) keep = group.keeping->completed.count();
    if (group.keeping) keep_failed = group.keeping->failed.count();
    return sql_.insert
        .bind(id, group.kind, group.name, group.options, group.collection, group.site, owner, group.priority,
              static_cast<int>(group.concurrency), group.page_limit, group.url_limit, group.index_pages,
              group.zero_retention, closing_jobs, column_of(now), request_key, keep, keep_failed,
              static_cast<int>(group.page_keeping), group.request_id)
        .run();
}

Result<void> GroupRows::save(const OpenGroup& group) {
    const GroupCounters& counters = group.counters;
    return sql_.save
        .bind(group.id, static_cast<int>(group.state), group.priority, group.error,
              column_of(group.started_at), column_of(group.finished_at), group.last_id, counters.jobs_open,
              counters.discovered, counters.queued, counters.running, counters.completed, counters.failed,
              counters.skipped, counters.unchanged, counters.duplicates, counters.gone, counters.not_admitted,
              counters.removed, counters.bytes)
        .run();
}

Result<void> GroupRows::add(std::int64_t id, const GroupTally& tally) {
    const Timings& spent = tally.timings;
    return sql_.add
        .bind(id, tally.indexed, spent.chunks, std::int64_t{spent.fetch.count()},
              std::int64_t{spent.extract.count()}, std::int64_t{spent.chunk.count()},
              std::int64_t{spent.embed.count()}, std::int64_t{spent.index.count()},
              std::int64_t{spent.words.count()})
        .run();
}

Result<void> GroupRows::set_index_pages(std::int64_t id) {
    return sql_.set_index_pages.bind(id).run();
}

Result<std::vector<OpenGroup>> GroupRows::open_groups() {
    std::vector<OpenGroup> groups;
    auto& rows = sql_.open.bind();
    while (TRY(rows.step())) groups.push_back(group_of(rows));
    rows.reset();
    return groups;
}

Result<OpenGroup> GroupRows::load(std::int64_t id) {
    if (!TRY(sql_.find.bind(id).step())) return fail(ErrorCode::not_found, "there is no such group");
    OpenGroup group = group_of(sql_.find);
    sql_.find.reset();
    return group;
}

Result<bool> GroupRows::has_request(int owner, const std::string& request_key) {
    const bool is_there = TRY(sql_.find_request.bind(owner, request_key).step());
    sql_.find_request.reset();
    return is_there;
}

Result<std::optional<JobState>> GroupRows::state_of(std::int64_t id) {
    if (!TRY(sql_.state.bind(id).step())) return std::nullopt;
    const auto state = static_cast<JobState>(sql_.state.integer(0));
    sql_.state.reset();
    return state;
}

Result<LaterJobs> GroupRows::later_jobs_of(std::int64_t id) {
    std::string json;
    if (TRY(sql_.closing_jobs.bind(id).step())) json = sql_.closing_jobs.text(0);
    sql_.closing_jobs.reset();
    return later_jobs_from_json(json);
}

Result<std::vector<NewJob>> GroupRows::take_closing_jobs(std::int64_t id) {
    LaterJobs jobs = TRY(later_jobs_of(id));
    std::vector<NewJob> closing = std::exchange(jobs.closing, {});
    const std::string left = later_jobs_to_json(jobs);
    TRY(sql_.set_closing_jobs.bind(id, left).run());
    return closing;
}

Result<std::optional<NewJob>> GroupRows::notice_of(std::int64_t id) {
    return TRY(later_jobs_of(id)).notice;
}

Result<void> GroupRows::add_roots(std::int64_t id, const std::vector<std::string>& roots) {
    std::string json(no_list);
    if (TRY(sql_.roots.bind(id).step())) json = sql_.roots.text(0);
    sql_.roots.reset();
    boost::system::error_code error;
    boost::json::value value = boost::json::parse(json, error);
    if (error || !value.is_array()) return fail(ErrorCode::corrupt, "a group's roots are no list");
    boost::json::array& list = value.get_array();
    for (const std::string& root : roots) {
        const bool is_known = std::ranges::any_of(
            list, [&](const auto& known) { return known.is_string() && known.get_string() == root; });
        if (!is_known) list.emplace_back(root);
    }
    return sql_.set_roots.bind(id, boost::json::serialize(list)).run();
}

}  // namespace quarry::store
