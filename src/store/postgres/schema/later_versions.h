// Version 7 of the schema: how long a group is kept, as promised when it began, and how long its pages; null
// and 0 are as it was before, when everything had the time of all crawls, and pages stayed. The stages of
// indexing, kept apart from the embedding queue, which forgets sooner. And how much an owner may keep.
#pragma once

namespace quarry::store::postgres {

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
