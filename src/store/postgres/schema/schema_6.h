// Version 6 of the schema: how often in a row something was put off, or given back before it began, so that
// nothing goes round for ever.
#pragma once

namespace quarry::store::postgres {

inline constexpr const char* schema_6 = R"sql(
alter table quarry.ready add column snoozes integer not null default 0;
alter table quarry.parked add column snoozes integer not null default 0;
alter table quarry.lease add column snoozes integer not null default 0;
alter table quarry.frontier add column snoozes integer not null default 0;

create or replace view quarry.job as
    select id, kind, 0::smallint as state, priority, owner, grp, attempts, max_attempts, stalls, 0 as progress,
           zero_retention, created_at, run_at, null::bigint as started_at, null::bigint as finished_at, start_by,
           deadline, unique_key, last_error, null::bigint as worker, null::bigint as token, null::text as result,
           snoozes
    from quarry.ready
    union all
    select id, kind, case when reason = 4 then 5 else 0 end::smallint, priority, owner, grp, attempts, max_attempts,
           stalls, 0, zero_retention, created_at, run_at, null, null, start_by, deadline, unique_key, last_error,
           null, null, null, snoozes
    from quarry.parked
    union all
    select id, kind, 1::smallint, priority, owner, grp, attempts, max_attempts, stalls, progress, zero_retention,
           created_at, run_at, leased_at, null, start_by, deadline, unique_key, last_error, worker, token, null,
           snoozes
    from quarry.lease
    union all
    select id, kind, state, priority, owner, grp, attempts, max_attempts, stalls, 0, zero_retention, created_at,
           null, started_at, finished_at, null, deadline, unique_key, last_error, null, token, result, 0
    from quarry.done;
)sql";

}  // namespace quarry::store::postgres
