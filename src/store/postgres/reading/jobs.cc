// The tables that hold jobs: how their rows are read as one, and what the fields of a filter mean there.
#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>

#include "store/postgres/reading/query.h"
#include "store/postgres/reading/reading.h"
#include "store/rows/work.h"
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
    .since =
        "case when outbox.state in (0, 5) then outbox.created_at"
        " else coalesce(outbox.finished_at, outbox.created_at) end",
    .row_state = "outbox.state",
};

// Whether a table can have what is asked for at all.
bool has_any(const JobTable& table, const JobFilter& filter);

// Adds " and …" for every field of the filter.
void narrow(Query& query, const JobTable& table, const JobFilter& filter);
void narrow(Query& query, const RowSource& source, const JobFilter& filter);

namespace {

void narrow_age(Query& query, std::string_view since, const JobFilter& filter) {
    if (!filter.older_than) return;
    query.add(" and " + std::string(since) + " <= quarry.now_ms() - ?", filter.older_than->count());
}

}  // namespace

bool has_any(const JobTable& table, const JobFilter& filter) {
    if (filter.states.empty() || !table.state_column.empty()) return true;
    return std::ranges::count(filter.states, table.only_state) > 0;
}

void narrow(Query& query, const JobTable& table, const JobFilter& filter) {
    query.add_in("job.id", filter.ids);
    // Whatever belongs to a group was made after it.
    if (filter.group) query.add(" and job.grp = ?", *filter.group).add(" and job.id > ?", *filter.group);
    if (!filter.kind.empty())
        query.add(" and job.kind = (select id from quarry.kind where name = ?)", filter.kind);
    if (!table.state_column.empty()) query.add_in(table.state_column, filter.states);
    if (!filter.owner.empty())
        query.add(" and job.owner = (select id from quarry.owner where name = ?)", filter.owner);
    if (!filter.collection.empty()) {
        query.add(" and (select grp.collection from quarry.grp where grp.id = job.grp) = ?",
                  filter.collection);
    }
    narrow_age(query, table.since, filter);
}

void narrow(Query& query, const RowSource& source, const JobFilter& filter) {
    const auto equal = [](std::string_view expression) { return " and " + std::string(expression) + " = ?"; };
    query.add_in(source.id, filter.ids);
    if (filter.group) {
        query.add(equal(source.group), *filter.group);
        query.add(" and " + std::string(source.id) + " > ?", *filter.group);
    }
    if (!filter.kind.empty()) query.add(equal(source.kind), filter.kind);
    // The few failed among a million that are done are found by an index of their own.
    if (filter.states == std::vector{JobState::failed})
        query.add(" and " + std::string(source.row_state) + " = 3");
    query.add_in(source.state, filter.states);
    if (!filter.owner.empty()) query.add(equal(source.owner), filter.owner);
    if (!filter.collection.empty()) query.add(equal(source.collection), filter.collection);
    narrow_age(query, source.since, filter);
}

namespace {

// Rows of a table in the order of their ids. Those that may run are kept by kind, so each kind is walked.
void add_rows(Query& query, const JobTable& table, const JobQuery& page) {
    const bool by_kind = &table == &ready_table;
    if (by_kind) query.add("select walked.* from quarry.kind cross join lateral (");
    query.add("select job.id, job.kind, ").add(table.state).add("::int as state,");
    query.add(
        " job.priority, job.attempts, job.max_attempts, job.stalls, job.owner, job.grp, job.unique_key,"
        " job.last_error, job.created_at, job.deadline, ");
    query.add(table.columns).add(" from ").add(table.from).add(" as job where true");
    if (by_kind) query.add(" and job.kind = kind.id");
    narrow(query, table, page.filter);
    if (page.after) query.add(" and job.id > ?", *page.after);
    query.add(" order by job.id limit ?", page.limit);
    if (by_kind) query.add(") as walked order by walked.id limit ?", page.limit);
}

// Names and payloads are joined to what is listed.
void add_jobs(Query& query, const JobQuery& page) {
    query.add(
        "select kind.name, coalesce(grp.collection, ''), job.state, job.id, job.priority, job.attempts,"
        " job.max_attempts, job.stalls, job.progress, owner.name, job.grp, job.unique_key, job.last_error,"
        " job.worker, job.created_at, job.run_at, job.started_at, job.finished_at, job.start_by,"
        " job.deadline, null::text");
    query.add(page.with_payload ? ", payload.body, job.result" : ", null::text, null::text");
    query.add(" from (select * from (");
    bool is_first = true;
    for (const JobTable* table : job_tables) {
        if (!has_any(*table, page.filter)) continue;
        query.add(is_first ? "(" : " union all (");
        add_rows(query, *table, page);
        query.add(")");
        is_first = false;
    }
    query.add(
        ") as every(id, kind, state, priority, attempts, max_attempts, stalls, owner, grp, unique_key,"
        " last_error, created_at, deadline, progress, worker, run_at, started_at, finished_at, start_by,"
        " result)");
    query.add(" order by id limit ?) as job", page.limit);
    query.add(
        " join quarry.kind on kind.id = job.kind join quarry.owner on owner.id = job.owner"
        " left join quarry.grp on grp.id = job.grp");
    if (page.with_payload) query.add(" left join quarry.payload on payload.id = job.id");
}

void add_list(Query& query, const RowSource& source, const JobQuery& page) {
    query.add("select ").add(source.kind).add(", ").add(source.collection).add(", ").add(source.state);
    query.add(", ").add(source.columns).add(", null::text, null::text").add(source.from).add(" where true");
    narrow(query, source, page.filter);
    if (page.after) query.add(" and " + std::string(source.id) + " > ?", *page.after);
    query.add(page.order == JobQuery::Order::as_leased ? " order by outbox.priority, " : " order by ");
    query.add(std::string(source.id) + " limit ?", page.limit);
}

Query list_of(const JobQuery& page) {
    const JobFilter& filter = page.filter;
    const bool by_id = !filter.ids.empty();
    Query query("");
    if (filter.kind == kind_of_urls) {
        add_list(query, url_source, page);
        return query;
    }
    if (filter.kind == kind_of_changes) {
        add_list(query, change_source, page);
        return query;
    }
    query.add("select * from ((");
    add_jobs(query, page);
    if (filter.kind.empty() && (filter.group || by_id)) {
        query.add(") union all (");
        add_list(query, url_source, page);
    }
    if (filter.kind.empty() && by_id) {
        query.add(") union all (");
        add_list(query, change_source, page);
    }
    query.add(")) as list order by 4 limit ?", page.limit);
    return query;
}

using Counts = std::map<std::tuple<std::string, std::string, JobState>, std::int64_t>;

bool is_wanted(const JobFilter& filter, JobState state) {
    return filter.states.empty() || std::ranges::count(filter.states, state) > 0;
}

Result<void> count(db::PgConnection& connection, const Query& query, Counts& counts) {
    return query.each(connection, [&](const db::PgRow& row) {
        const auto state = static_cast<JobState>(row.integer(2));
        counts[{std::string(row.text(0)), std::string(row.text(1)), state}] += row.integer(3);
    });
}

// Counted by group before anything is joined: there may be millions of jobs, but not of groups.
Result<void> count_jobs(db::PgConnection& connection, const JobFilter& filter, Counts& counts) {
    Query query("select kind.name, coalesce(grp.collection, ''), job.state, job.count from (");
    bool is_first = true;
    for (const JobTable* table : job_tables) {
        if (!has_any(*table, filter)) continue;
        query.add(is_first ? "" : " union all ");
        query.add("select job.kind, job.grp, ").add(table->state).add("::int as state, count(*) from ");
        query.add(table->from).add(" as job where true");
        narrow(query, *table, filter);
        query.add(" group by 1, 2, 3");
        is_first = false;
    }
    query.add(") as job join quarry.kind on kind.id = job.kind left join quarry.grp on grp.id = job.grp");
    return count(connection, query, counts);
}

Result<void> count_rows(db::PgConnection& connection, const RowSource& source, const JobFilter& filter,
                        Counts& counts) {
    Query query("select ");
    query.add(source.kind).add(", ").add(source.collection).add(", ").add(source.state).add(", count(*)");
    query.add(source.from).add(" where true");
    narrow(query, source, filter);
    query.add(" group by 1, 2, 3");
    return count(connection, query, counts);
}

// A row has a collection and the counts of these states.
constexpr std::array counted_states = {JobState::queued, JobState::running,   JobState::completed,
                                       JobState::failed, JobState::cancelled, JobState::paused};

Result<void> add_sums(db::PgConnection& connection, const Query& query, const JobFilter& filter,
                      std::string_view kind, Counts& counts) {
    return query.each(connection, [&](const db::PgRow& row) {
        for (std::size_t index = 0; index < counted_states.size(); ++index) {
            const std::int64_t count = row.integer(static_cast<int>(index) + 1);
            if (count == 0 || !is_wanted(filter, counted_states[index])) continue;
            counts[{std::string(kind), std::string(row.text(0)), counted_states[index]}] += count;
        }
    });
}

// URLs are counted from their groups' counters: there may be millions of them. In a group that was cancelled,
// those that are counted nowhere were cancelled with it.
Result<void> count_urls(db::PgConnection& connection, const JobFilter& filter, Counts& counts) {
    Query query(R"sql(
        select grp.collection, sum(queued)::bigint, sum(running)::bigint, sum(completed + skipped)::bigint,
               sum(failed)::bigint,
               sum(case when state = 4 then discovered - completed - skipped - failed else 0 end)::bigint,
               0::bigint
        from quarry.grp join quarry.owner on owner.id = grp.owner where true)sql");
    if (filter.group) query.add(" and grp.id = ?", *filter.group);
    if (!filter.owner.empty()) query.add(" and owner.name = ?", filter.owner);
    if (!filter.collection.empty()) query.add(" and grp.collection = ?", filter.collection);
    query.add(" group by 1");
    return add_sums(connection, query, filter, kind_of_urls, counts);
}

// So are changes, which are counted where they are made; those that run have leases.
Result<void> count_changes(db::PgConnection& connection, const JobFilter& filter, Counts& counts) {
    for (const char* sql : {"select changes.collection, sum(changes.queued)::bigint, 0::bigint,"
                            " sum(changes.completed)::bigint, sum(changes.failed)::bigint,"
                            " sum(changes.cancelled)::bigint, sum(changes.paused)::bigint"
                            " from quarry.outbox_count as changes",
                            "select changes.collection, -count(*), count(*), 0::bigint, 0::bigint, 0::bigint,"
                            " 0::bigint from quarry.change_lease"
                            " join quarry.outbox as changes on changes.id = change_lease.id"}) {
        Query query(std::string(sql) +
                    " left join quarry.grp on grp.id = changes.grp"
                    " left join quarry.owner on owner.id = grp.owner where true");
        if (filter.group) query.add(" and changes.grp = ?", *filter.group);
        if (!filter.owner.empty()) query.add(" and coalesce(owner.name, 'local') = ?", filter.owner);
        if (!filter.collection.empty()) query.add(" and changes.collection = ?", filter.collection);
        query.add(" group by 1");
        TRY(add_sums(connection, query, filter, kind_of_changes, counts));
    }
    std::erase_if(counts, [](const auto& entry) { return entry.second == 0; });
    return {};
}

}  // namespace

Result<std::vector<Job>> read_jobs(db::PgConnection& connection, const JobQuery& page) {
    std::vector<Job> jobs;
    TRY(list_of(page).each(connection, [&](const db::PgRow& row) { jobs.push_back(job_of(row)); }));
    return jobs;
}

Result<std::vector<StateCount>> read_job_counts(db::PgConnection& connection, const JobFilter& filter) {
    Counts counts;
    const bool row_by_row = !filter.ids.empty() || filter.older_than;
    if (filter.kind != kind_of_urls && filter.kind != kind_of_changes)
        TRY(count_jobs(connection, filter, counts));
    if (filter.kind.empty() || filter.kind == kind_of_urls) {
        TRY(row_by_row ? count_rows(connection, url_source, filter, counts)
                       : count_urls(connection, filter, counts));
    }
    if (filter.kind.empty() || filter.kind == kind_of_changes) {
        TRY(row_by_row ? count_rows(connection, change_source, filter, counts)
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

}  // namespace quarry::store::postgres
