#include "store/postgres/reading/postgres_reader_urls.h"

#include "store/postgres/reading/query.h"
#include "store/rows/job_row.h"

namespace quarry::store::postgres {

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

Result<std::vector<FrontierUrl>> read_urls(db::PgConnection& connection, const UrlPage& page) {
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
