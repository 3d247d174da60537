// The tables that hold jobs: how their rows are read as one, and what the fields of a filter mean there.
#pragma once

#include <string_view>

#include "store/postgres/reading/query.h"
#include "store/store.h"

namespace quarry::store::postgres {

inline constexpr std::string_view kind_of_urls = "fetch_page", kind_of_changes = "embed_page";

// A table of jobs proper. Filters are said of its own columns, so that a limit can be, too: what is joined
// for a list is joined to what is listed.
struct JobTable {
    std::string_view from{};  // its name is `job` there
    std::string_view state{};
    std::string_view columns{};       // progress, worker, run_at, started_at, finished_at, start_by, result
    std::string_view since{};         // what ages are counted from
    std::string_view state_column{};  // "" if all its rows have one state, said by `only_state`
    JobState only_state{};
};

inline constexpr JobTable ready_table = {
    .from = "quarry.ready",
    .state = "0",
    .columns = "0, null::bigint, job.run_at, null::bigint, null::bigint, job.start_by, null::text",
    .since = "job.created_at",
    .only_state = JobState::queued,
};
inline constexpr JobTable parked_table = {
    .from = "quarry.parked",
    .state = "case when job.reason = 4 then 5 else 0 end",
    .columns = "0, null::bigint, job.run_at, null::bigint, null::bigint, job.start_by, null::text",
    .since = "job.created_at",
    .state_column = "case when job.reason = 4 then 5 else 0 end",
};
inline constexpr JobTable lease_table = {
    .from = "quarry.lease",
    .state = "1",
    .columns = "job.progress, job.worker, job.run_at, job.leased_at, null::bigint, job.start_by, null::text",
    .since = "job.created_at",
    .only_state = JobState::running,
};
inline constexpr JobTable done_table = {
    .from = "quarry.done",
    .state = "job.state",
    .columns =
        "case when job.state = 2 then 100 else 0 end, null::bigint, null::bigint, job.started_at, "
        "job.finished_at, null::bigint, job.result",
    .since = "job.finished_at",
    .state_column = "job.state",
};
inline constexpr const JobTable* job_tables[] = {&ready_table, &parked_table, &lease_table, &done_table};

// URLs and changes: their rows are read with what they are joined to.
struct RowSource {
    std::string_view kind{}, collection{}, state{};
    std::string_view columns{};  // the others of job_of(), from `id` on, and neither payload nor result
    std::string_view from{};
    std::string_view id{}, group{}, owner{}, since{};
    std::string_view row_state{};  // of the row itself, to use its index
};

// A URL that was skipped has completed: nothing is left to do for it. What still waits in a group that is
// over has been skipped, or cancelled with it. Its time of creation is the group's; the table has none.
inline constexpr RowSource url_source = {
    .kind = "'fetch_page'",
    .collection = "grp.collection",
    .state =
        "case when frontier.state = 0 and grp.state in (2, 3) then 2"
        " when frontier.state = 0 and grp.state = 4 then 4"
        " when frontier.state = 0 and url_lease.id is not null then 1"
        " when frontier.state = 4 then 2 when frontier.state = 5 then 4 else frontier.state end",
    .columns =
        "frontier.id, grp.priority, frontier.attempts, 3, frontier.stalls, 0, owner.name, frontier.grp, "
        "null::text, frontier.note, url_lease.worker, grp.created_at, frontier.run_at, url_lease.leased_at, "
        "frontier.finished_at, null::bigint, null::bigint, frontier.url",
    .from =
        " from quarry.frontier join quarry.grp on grp.id = frontier.grp"
        " join quarry.owner on owner.id = grp.owner"
        " left join quarry.url_lease on url_lease.id = frontier.id",
    .id = "frontier.id",
    .group = "frontier.grp",
    .owner = "owner.name",
    .since = "coalesce(frontier.finished_at, grp.created_at)",
    .row_state = "frontier.state",
};

inline constexpr RowSource change_source = {
    .kind = "'embed_page'",
    .collection = "outbox.collection",
    .state = "case when change_lease.id is not null then 1 else outbox.state end",
    .columns =
        "outbox.id, outbox.priority, outbox.attempts, 3, outbox.stalls, 0, coalesce(owner.name, ''), "
        "outbox.grp, null::text, outbox.last_error, change_lease.worker, outbox.created_at, outbox.run_at, "
        "change_lease.leased_at, outbox.finished_at, null::bigint, null::bigint, outbox.url",
    .from =
        " from quarry.outbox left join quarry.change_lease on change_lease.id = outbox.id"
        " left join quarry.grp on grp.id = outbox.grp left join quarry.owner on owner.id = grp.owner",
    .id = "outbox.id",
    .group = "outbox.grp",
    .owner = "coalesce(owner.name, 'local')",  // what no crawl brought is the local user's
    .since = "case when outbox.state in (0, 5) then outbox.created_at"
             " else coalesce(outbox.finished_at, outbox.created_at) end",
    .row_state = "outbox.state",
};

// Whether a table can have what is asked for at all.
bool has_any(const JobTable& table, const JobFilter& filter);

// Adds " and …" for every field of the filter.
void narrow(Query& query, const JobTable& table, const JobFilter& filter);
void narrow(Query& query, const RowSource& source, const JobFilter& filter);

}  // namespace quarry::store::postgres
