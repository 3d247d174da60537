#include "store/postgres_consistency.h"

#include <array>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

namespace quarry::test {

namespace {

struct Rule {
    const char* sentence;
    const char* violations;  // the first column names a row
};

// States are the numbers of model/job.h and model/frontier.h. A group that is over leaves the URLs that still
// waited as they were: they count as skipped, or, if it was cancelled, nowhere.
constexpr std::array rules = {
    Rule{"a job is in one place", R"sql(
        select id from (select id from quarry.ready union all select id from quarry.parked
                        union all select id from quarry.lease union all select id from quarry.done) as job
        group by id having count(*) > 1)sql"},
    Rule{"an id means one thing", R"sql(
        select id from (select id from quarry.job union all select id from quarry.frontier
                        union all select id from quarry.grp union all select id from quarry.page
                        union all select id from quarry.content union all select id from quarry.outbox
                        union all select id from quarry.worker) as thing
        group by id having count(*) > 1)sql"},
    Rule{"an ended job has ended", "select id from quarry.done where state not in (2, 3, 4)"},
    Rule{"an open job has its payload", R"sql(
        select id from quarry.job where state in (0, 1, 5) and not exists (
            select 1 from quarry.payload where payload.id = job.id))sql"},
    Rule{"a payload has its job",
         "select id from quarry.payload where not exists (select 1 from quarry.job where job.id = "
         "payload.id)"},
    Rule{"an open job has its key, and nobody else has one", R"sql(
        select coalesce(job.id, job_key.id) from
            (select id, unique_key from quarry.job where state in (0, 1, 5) and unique_key is not null) as job
            full join quarry.job_key on job_key.id = job.id and job_key.key = job.unique_key
        where job.id is null or job_key.id is null)sql"},
    Rule{"jobs of a group that is over have ended", R"sql(
        select job.id from quarry.job join quarry.grp on grp.id = job.grp
        where grp.state in (2, 3, 4) and job.state in (0, 1, 5))sql"},

    Rule{"open and running jobs and URLs of an owner are counted", R"sql(
        select owner.id from quarry.owner left join (
            select owner, sum(open_jobs) as open_jobs, sum(running_jobs) as running_jobs,
                   sum(running_urls) as running_urls from quarry.tally group by owner) as tally
            on tally.owner = owner.id
        where coalesce(tally.open_jobs, 0) <>
                  (select count(*) from quarry.job where job.owner = owner.id and state in (0, 1, 5))
           or coalesce(tally.running_jobs, 0) <>
                  (select count(*) from quarry.lease where lease.owner = owner.id)
           or coalesce(tally.running_urls, 0) <>
                  (select count(*) from quarry.url_lease where url_lease.owner = owner.id))sql"},
    Rule{"jobs_open", R"sql(
        select id from quarry.grp where jobs_open <>
            (select count(*) from quarry.job where job.grp = grp.id and job.state in (0, 1, 5)))sql"},
    Rule{"discovered", R"sql(
        select id from quarry.grp where discovered <>
            (select count(*) from quarry.frontier where frontier.grp = grp.id))sql"},
    Rule{"queued", R"sql(
        select id from quarry.grp where queued <> case when state in (2, 3, 4) then 0 else
            (select count(*) from quarry.frontier where frontier.grp = grp.id and frontier.state = 0
                and not exists (select 1 from quarry.url_lease where url_lease.id = frontier.id)) end)sql"},
    Rule{"running", R"sql(
        select id from quarry.grp where running <>
            (select count(*) from quarry.url_lease where url_lease.grp = grp.id))sql"},
    Rule{"completed", R"sql(
        select id from quarry.grp where completed <>
            (select count(*) from quarry.frontier where frontier.grp = grp.id and frontier.state = 2))sql"},
    Rule{"failed", R"sql(
        select id from quarry.grp where failed <>
            (select count(*) from quarry.frontier where frontier.grp = grp.id and frontier.state = 3))sql"},
    Rule{"skipped", R"sql(
        select id from quarry.grp where skipped <>
            (select count(*) from quarry.frontier where frontier.grp = grp.id
                and (frontier.state = 4 or (frontier.state = 0 and grp.state in (2, 3)))))sql"},
    Rule{"gone", R"sql(
        select id from quarry.grp where gone <>
            (select count(*) from quarry.frontier where frontier.grp = grp.id and frontier.state = 3
                and frontier.status in (404, 410)))sql"},
    Rule{"a group completes no more pages than it may",
         "select id from quarry.grp where completed > page_limit"},
    Rule{"a group that is over says when",
         "select id from quarry.grp where (state in (2, 3, 4)) <> (finished_at is not null)"},
    Rule{"a running group has something to do",
         "select id from quarry.grp where state = 1 and jobs_open = 0 and running = 0 and queued = 0"},

    Rule{"a URL that runs is one that waited", R"sql(
        select id from quarry.url_lease where not exists (
            select 1 from quarry.frontier where frontier.id = url_lease.id and frontier.state = 0))sql"},
    Rule{"a URL of an open crawl that waits is in one line", R"sql(
        select frontier.id from quarry.frontier join quarry.grp on grp.id = frontier.grp
        where frontier.state = 0 and grp.state not in (2, 3, 4)
          and (select count(*) from quarry.url_ready where url_ready.id = frontier.id
                                                       and url_ready.grp = frontier.grp)
            + (select count(*) from quarry.url_delayed where url_delayed.id = frontier.id)
            + (select count(*) from quarry.url_lease where url_lease.id = frontier.id) <> 1)sql"},
    Rule{"nothing else is in these lines", R"sql(
        select id from (select id, grp from quarry.url_ready union all select id, grp from quarry.url_delayed) as line
        where not exists (select 1 from quarry.frontier join quarry.grp on grp.id = frontier.grp
                          where frontier.id = line.id and frontier.state = 0 and grp.state not in (2, 3, 4)))sql"},
    Rule{"a host with URLs in line has a lane", R"sql(
        select host from quarry.url_ready where not exists (
            select 1 from quarry.url_lane where url_lane.grp = url_ready.grp and url_lane.host = url_ready.host))sql"},
    Rule{"a host that is held counts what is held", R"sql(
        select id from quarry.host
        where held <> (select count(*) from quarry.url_lease where url_lease.host = host.id))sql"},
    Rule{"a host belongs to one worker", R"sql(
        select host from quarry.url_lease group by host having count(distinct worker) > 1)sql"},

    Rule{"a result is of a URL that completed, and no URL has two", R"sql(
        select url from quarry.result group by url
        having count(*) > 1 or not exists (select 1 from quarry.frontier where frontier.id = result.url and state = 2))sql"},
    Rule{"a crawl has a page once", "select page from quarry.result group by grp, page having count(*) > 1"},
    Rule{"a result has its words", R"sql(
        select url from quarry.result where not exists (
            select 1 from quarry.content where content.id = result.content))sql"},
    Rule{"a page has its words", R"sql(
        select id from quarry.page where not exists (
            select 1 from quarry.content where content.id = page.content and content.page = page.id))sql"},
    Rule{"words belong to somebody", R"sql(
        select id from quarry.content where not exists (select 1 from quarry.page where page.content = content.id)
            and not exists (select 1 from quarry.result where result.content = content.id))sql"},

    Rule{"a change that waits is in line once", R"sql(
        select id from quarry.outbox where state = 0 and run_at is null
          and (select count(*) from quarry.change_ready where change_ready.id = outbox.id)
            + (select count(*) from quarry.change_lease where change_lease.id = outbox.id) <> 1)sql"},
    Rule{"nothing else is in that line", R"sql(
        select id from quarry.change_ready where not exists (
            select 1 from quarry.outbox where outbox.id = change_ready.id and state = 0))sql"},
    // One that is leased may have lost them to a newer change, and is dropped when it ends.
    Rule{"a change that waits has its words", R"sql(
        select id from quarry.outbox where state = 0 and content is not null
          and not exists (select 1 from quarry.content where content.id = outbox.content)
          and not exists (select 1 from quarry.change_lease where change_lease.id = outbox.id))sql"},
    Rule{"changes are counted", R"sql(
        select grp, collection, counted, outbox_count from (
            select coalesce(grp, 0) as grp, collection, count(*) filter (where state = 0) as queued,
                   count(*) filter (where state = 2) as completed, count(*) filter (where state = 3) as failed,
                   count(*) filter (where state = 4) as cancelled, count(*) filter (where state = 5) as paused
            from quarry.outbox group by 1, 2) as counted
            full join quarry.outbox_count using (grp, collection)
        where (coalesce(counted.queued, 0), coalesce(counted.completed, 0), coalesce(counted.failed, 0),
               coalesce(counted.cancelled, 0), coalesce(counted.paused, 0))
           is distinct from (coalesce(outbox_count.queued, 0), coalesce(outbox_count.completed, 0),
               coalesce(outbox_count.failed, 0), coalesce(outbox_count.cancelled, 0),
               coalesce(outbox_count.paused, 0)))sql"},
    Rule{"a page that waits for indexing knows its change", R"sql(
        select outbox.id, outbox.version, page.outbox as last, page.version
        from quarry.outbox join quarry.page on page.id = outbox.page
        where outbox.state = 0 and page.outbox is distinct from outbox.id
          and not exists (select 1 from quarry.change_lease where change_lease.id = outbox.id))sql"},
};

// Which of the ids $1 are as they were promised to be.
const char* query_of(Promise::What what) {
    switch (what) {
        case Promise::What::job_added: return "select id from quarry.job where id = any($1)";
        case Promise::What::job_ended: return "select id from quarry.done where id = any($1)";
        case Promise::What::group_added: return "select id from quarry.grp where id = any($1)";
        case Promise::What::url_ended:
            return "select id from quarry.frontier where id = any($1) and state in (2, 3, 4)";
        case Promise::What::page_saved:
            return "select result.url from quarry.result join quarry.content on content.id = result.content"
                   " join quarry.frontier on frontier.id = result.url and frontier.state = 2"
                   " where result.url = any($1)";
        case Promise::What::group_cancelled:
            return "select id from quarry.grp where id = any($1) and state = 4";
        case Promise::What::page_written:
            return "select id from unnest($1::bigint[]) as wanted(id) where exists (select 1 from quarry.page"
                   " where collection = 'kept' and url = 'https://kept.example/' || wanted.id)";
        case Promise::What::change_ended:
            return "select id from unnest($1::bigint[]) as wanted(id) where not exists (select 1 from "
                   "quarry.outbox"
                   " where outbox.id = wanted.id and state = 0)";
        case Promise::What::page_forgotten:
            return "select id from unnest($1::bigint[]) as wanted(id) where not exists (select 1 from "
                   "quarry.page"
                   " where collection = 'lost' and url = 'https://lost.example/' || wanted.id)";
    }
    return "";
}

}  // namespace

std::vector<std::string> inconsistencies(db::PgConnection& connection) {
    std::vector<std::string> found;
    for (const Rule& rule : rules) {
        const auto rows =
            connection.query(fmt::format("select wrong::text from ({}) as wrong limit 1", rule.violations));
        if (!rows) {
            found.push_back(fmt::format("{}: {}", rule.sentence, rows.error().message));
        } else if (!rows->empty()) {
            found.push_back(fmt::format("not true of {}: {}", rows->text(0, 0), rule.sentence));
        }
    }
    return found;
}

std::vector<std::string> broken_promises(db::PgConnection& connection, const std::vector<Promise>& promises) {
    std::map<Promise::What, std::vector<std::int64_t>> wanted;
    for (const Promise& promise : promises) wanted[promise.what].push_back(promise.id);
    std::vector<std::string> broken;
    for (const auto& [what, ids] : wanted) {
        const auto rows = connection.query(query_of(what), db::PgValues(ids));
        if (!rows) {
            broken.push_back(rows.error().message);
            continue;
        }
        std::set<std::int64_t> kept;
        for (int row = 0; row < rows->size(); ++row) kept.insert(rows->integer(row, 0));
        for (const std::int64_t id : ids)
            if (!kept.contains(id))
                broken.push_back(fmt::format("promise {} of {} is broken", static_cast<int>(what), id));
    }
    return broken;
}

}  // namespace quarry::test
