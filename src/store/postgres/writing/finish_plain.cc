// Jobs that have completed, and nothing else: one statement for hundreds of them.
#include "store/rows/columns.h"
#include "store/postgres/writing/finishing.h"

namespace quarry::store::postgres {

namespace {

// A job of a group is left: the group's row must be locked first.
constexpr db::PgStatement finish_sql{"finish_plain_jobs", R"sql(
    with u as materialized (select * from unnest($1::bigint[], $2::bigint[], $3::text[]) as u(id, token, result)),
         f as (delete from quarry.lease using u
               where lease.id = u.id and lease.token = u.token and lease.grp is null returning lease.*, u.result),
         d as (insert into quarry.done(id, kind, state, priority, owner, attempts, max_attempts, stalls,
                                       zero_retention, created_at, started_at, finished_at, deadline, token,
                                       unique_key, last_error, result)
               select id, kind, 2, priority, owner, attempts, max_attempts, stalls, zero_retention, created_at,
                      leased_at, (select quarry.now_ms()), deadline, token, unique_key, last_error, result from f),
         k as (delete from quarry.job_key where key in (select unique_key from f where unique_key is not null)),
         t as (insert into quarry.tally(owner, stripe, open_jobs, running_jobs)
               select owner, pg_backend_pid() % 64, -count(*), -count(*) from f group by owner order by owner
               on conflict (owner, stripe) do update set open_jobs = tally.open_jobs + excluded.open_jobs,
                                                         running_jobs = tally.running_jobs + excluded.running_jobs)
    select id, exists (select 1 from quarry.parked where reason = 2) from f)sql"};

}  // namespace

bool is_plain(const Outcome& outcome) {
    return std::holds_alternative<Completed>(outcome.end) && outcome.pages.empty() && outcome.found.empty() &&
           !outcome.canonical && outcome.jobs.empty() && outcome.roots.empty() && outcome.hosts.empty() &&
           outcome.gone.empty() && !outcome.settle && outcome.timings.is_empty();
}

Result<PlainEnd> finish_plain_jobs(db::PgBatch& batch, std::span<const Finished> finished) {
    db::PgIntegers ids, tokens;
    db::PgTexts results;
    for (const Finished& one : finished) {
        ids.emplace_back(number(one.lease.id));
        tokens.emplace_back(number(one.lease.token));
        results.emplace_back(std::get<Completed>(one.outcome.end).result);
    }
    const std::size_t place = batch.add(finish_sql, db::PgValues(ids, tokens, results));
    const std::vector<db::PgRows> answers = TRY(batch.run());
    const db::PgRows& rows = answers[place];
    PlainEnd end;
    for (int row = 0; row < rows.size(); ++row) end.ids.push_back(rows.integer(row, 0));
    end.has_backlog = !rows.empty() && rows.boolean(0, 1);
    return end;
}

}  // namespace quarry::store::postgres
