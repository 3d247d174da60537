#include "store/sqlite/reading/sqlite_reader_urls.h"

#include "store/rows/job_row.h"
#include "store/sqlite/reading/query.h"

namespace quarry::store {

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

Result<std::vector<FrontierUrl>> read_urls(db::Connection& connection, const UrlPage& page) {
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
