// How version 1 of the schema became the present one, a step per version: crashes of the database, pictures
// of pages, partitions by day, the time as an expression, limits on putting work off, and how long things
// are kept. Sessions stay in one table: views of people are made of it, and sessions are few.
#pragma once

namespace quarry::store::postgres {

// Version 2 of the schema: what many processes need to outlive crashes of the database.

inline constexpr const char* schema_2 = R"sql(
-- Claims need not survive a crash of the server, and neither do the numbers that a sequence gave them: the same are given
-- again. A few random bits keep apart what two claims of the same job were given.
create function quarry.new_token() returns bigint language sql volatile parallel unsafe as $$
    select nextval('quarry.token') * 65536 + floor(random() * 65536)::bigint
$$;

-- Says of a transaction whose answer was lost whether it was committed. Its number alone does not: a server that crashed
-- may have given the same to another one since. One row for each connection at work, overwritten each time.
create table quarry.witness(
    slot  bigint primary key,  -- random
    count bigint not null,     -- of the last transaction that wrote it
    at    bigint not null
) with (fillfactor = 50);

-- Who does what is to be done once for all: as long as `until` is not over, and others may not.
create table quarry.leader(
    duty   text primary key,
    holder bigint not null,  -- random, of a process
    until  bigint not null
) with (fillfactor = 50);
)sql";

// Version 3 of the schema: pictures of pages.

inline constexpr const char* schema_3 = R"sql(
-- They live no longer than what a crawl brought, and compress no further.
alter table quarry.content add column media bytea;
alter table quarry.content alter column media set storage external;
)sql";

// Version 4 of the schema: days of what has ended and of requests, each a partition (partitions.h).
//
// Sessions stay in one table. People's views are made of it (webhook.crawl_sessions), so that it could not be
// exchanged for a partitioned one without dropping what somebody may have built on those; and they are few:
// one for an operation, where there is a request for everything that anybody asks.

inline constexpr const char* schema_4 = R"sql(
-- The partitions, with the times that they are for: from `begins` until before `ends`. What has none is in done_other
-- and request_other.
create view quarry.day as
    select parent.relname::text as parent, format('quarry.%I', part.relname) as name,
           coalesce(substring(bounds.said from 'FROM \(''(-?\d+)''\)')::bigint, -9223372036854775808) as begins,
           coalesce(substring(bounds.said from 'TO \(''(-?\d+)''\)')::bigint, 9223372036854775807) as ends
    from pg_inherits join pg_class as part on part.oid = pg_inherits.inhrelid
         join pg_class as parent on parent.oid = pg_inherits.inhparent
         cross join lateral (select pg_get_expr(part.relpartbound, part.oid) as said) as bounds
    where pg_inherits.inhparent in ('quarry.done'::regclass, 'quarry.request'::regclass) and bounds.said <> 'DEFAULT';

-- What was written before there were days becomes one partition, until the end of today: a day can only be attached
-- after all of done_other was read to see that nothing there belongs to it, so that is to be empty. Reads it
-- once, and keeps everybody waiting meanwhile. Does nothing if a row there is of a later time.
create function quarry.set_apart(parent text, key text) returns void language plpgsql as $$
declare
    rest  text := parent || '_other';
    until bigint := (quarry.now_ms() / 86400000 + 1) * 86400000;
    apart text;
    last  bigint;
begin
    execute format('lock table quarry.%I in access exclusive mode', parent);
    execute format('select max(%I) from quarry.%I', key, rest) into last;
    select least(until, min(day.begins)) into until from quarry.day where day.parent = set_apart.parent;
    if last is null or last >= until then return; end if;
    apart := parent || to_char(to_timestamp(until / 1000) at time zone 'UTC', '"_before_"YYYYMMDD');
    execute format('alter table quarry.%I detach partition quarry.%I', parent, rest);
    execute format('alter table quarry.%I rename to %I', rest, apart);
    execute format('alter table quarry.%I attach partition quarry.%I for values from (minvalue) to (%s)', parent, apart, until);
    execute format('create table quarry.%I partition of quarry.%I default', rest, parent);
end $$;

select quarry.set_apart('done', 'finished_at'), quarry.set_apart('request', 'at');
)sql";

// Version 5 of the schema: the time as an expression that the planner puts in its place. A function that says
// it is stable and calls one that is not cannot be: it was parsed and planned again in every statement, which
// took longer than most of them.

inline constexpr const char* schema_5 = R"sql(
-- The server's clock when the statement began, unless a test has set another one for its transaction.
create or replace function quarry.now_ms() returns bigint language sql stable parallel safe as $$
    select coalesce(nullif(current_setting('quarry.now', true), '')::bigint,
                    floor(extract(epoch from statement_timestamp()) * 1000)::bigint)
$$;
)sql";

// Version 6 of the schema: how often in a row something was put off, or given back before it began, so that
// nothing goes round for ever.

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

// Version 7 of the schema: how long a group is kept, as promised when it began, and how long its pages; null
// and 0 are as it was before, when everything had the time of all crawls, and pages stayed. The stages of
// indexing, kept apart from the embedding queue, which forgets sooner. And how much an owner may keep.

inline constexpr const char* schema_7 = R"sql(
alter table quarry.owner add column stored_bytes bigint not null default 0;

alter table quarry.grp add column keep_ms bigint;         -- after its end, if it brought a page
alter table quarry.grp add column keep_failed_ms bigint;  -- if it brought none
alter table quarry.grp add column page_keeping smallint not null default 0;
alter table quarry.grp add column words_us bigint not null default 0;
alter table quarry.grp add column request_id text not null default '';
create index grp_expires on quarry.grp((finished_at + case when completed > 0 then keep_ms else keep_failed_ms end))
    where finished_at is not null and keep_ms is not null;

alter table quarry.page add column keeping smallint not null default 0;  -- the smallest of those that met it; 0 once indexed
create index page_cached on quarry.page(fetched_at) where keeping = 1;

alter table quarry.outbox add column words_us bigint;

-- HTML is text from now on, as the words are, so that SQL can read it. What was packed stays as it is.
alter table quarry.content rename column html to html_packed;
alter table quarry.content add column html text;
do $$ begin
    alter table quarry.content alter column html set compression lz4;
exception when feature_not_supported then null;
end $$;

create table quarry.operation(
    id             bigint not null,
    at             bigint not null,
    job            bigint not null,  -- in the outbox
    job_created_at bigint not null,
    grp            bigint,
    grp_created_at bigint,
    collection     text not null,
    url            text not null,
    request_id     text not null,
    error          text,             -- null: it went well
    chunk_us       bigint not null,
    embed_us       bigint not null,
    index_us       bigint not null,
    words_us       bigint not null,
    chunks         bigint not null,
    note           text not null,
    primary key(id, at)
) partition by range (at);
create table quarry.operation_other partition of quarry.operation default;
create index operation_at on quarry.operation(at);

-- What is left of older ones.
create table quarry.operation_day(
    day        bigint not null,
    collection text not null,
    pages      bigint not null,
    failed     bigint not null,
    chunks     bigint not null,
    chunk_us   bigint not null,
    embed_us   bigint not null,
    index_us   bigint not null,
    words_us   bigint not null,
    primary key(day, collection)
);

create or replace view quarry.day as
    select parent.relname::text as parent, format('quarry.%I', part.relname) as name,
           coalesce(substring(bounds.said from 'FROM \(''(-?\d+)''\)')::bigint, -9223372036854775808) as begins,
           coalesce(substring(bounds.said from 'TO \(''(-?\d+)''\)')::bigint, 9223372036854775807) as ends
    from pg_inherits join pg_class as part on part.oid = pg_inherits.inhrelid
         join pg_class as parent on parent.oid = pg_inherits.inhparent
         cross join lateral (select pg_get_expr(part.relpartbound, part.oid) as said) as bounds
    where pg_inherits.inhparent in ('quarry.done'::regclass, 'quarry.request'::regclass, 'quarry.operation'::regclass)
        and bounds.said <> 'DEFAULT';
)sql";

}  // namespace quarry::store::postgres
