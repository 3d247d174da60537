// Metrics as SQL that was written for a webhook bridge beside Firecrawl expects them: the schema `webhook`, as
// views. docs/postgres-views.md says what the columns mean here.
#pragma once

namespace quarry::store::postgres {

inline constexpr const char* views_1_webhook = R"sql(
create schema webhook;
comment on schema webhook is 'views of quarry';

-- Every operation: those that are groups, and the others. Each branch reads one table without a condition: only then
-- is a session found by its job_id without reading all of them.
create view webhook.crawl_sessions as
    select grp.uuid as id, grp.uuid::text::varchar(255) as job_id, left(grp.name, 500)::varchar(500) as base_url,
           case grp.kind when 'batch_scrape' then 'scrape_batch' when 'rescrape' then 'scrape' else grp.kind
           end::varchar(50) as operation_type,
           quarry.time_of(coalesce(grp.started_at, grp.created_at)) as started_at,
           quarry.time_of(grp.finished_at) as completed_at,
           case grp.state when 2 then 'completed' when 3 then 'failed' when 4 then 'cancelled' else 'in_progress'
           end::varchar(50) as status,
           case when grp.finished_at is not null then grp.state = 2 end as success,
           grp.discovered::int as total_urls, grp.completed::int as completed_urls, grp.failed::int as failed_urls,
           grp.completed::int as total_pages, grp.indexed::int as pages_indexed,
           (select coalesce(sum(changes.failed), 0) from quarry.outbox_count as changes where changes.grp = grp.id)::int
               as pages_failed,
           grp.chunk_us / 1000.0::float as total_chunking_ms, grp.embed_us / 1000.0::float as total_embedding_ms,
           grp.index_us / 1000.0::float as total_qdrant_ms, 0::float as total_bm25_ms,
           (grp.finished_at - coalesce(grp.started_at, grp.created_at))::float as duration_ms,
           quarry.time_of(grp.created_at) as initiated_at,
           (grp.finished_at - grp.created_at)::float as e2e_duration_ms, grp.index_pages as auto_index,
           quarry.time_of(grp.finished_at + 86400000) as expires_at,
           jsonb_build_object('collection', grp.collection, 'owner', (select name from quarry.owner where owner.id = grp.owner),
                              'chunks', grp.chunks,
                              'bytes', grp.bytes, 'fetch_ms', grp.fetch_us / 1000.0::float,
                              'extract_ms', grp.extract_us / 1000.0::float) as extra_metadata,
           nullif(grp.error, '') as error_message, quarry.time_of(grp.created_at) as created_at,
           quarry.time_of(coalesce(grp.finished_at, grp.started_at, grp.created_at)) as updated_at
    from quarry.grp
    union all
    select session.uuid, session.uuid::text::varchar(255), left(session.base_url, 500)::varchar(500),
           session.operation::varchar(50), quarry.time_of(session.started_at), quarry.time_of(session.completed_at),
           case when session.completed_at is null then 'in_progress' when session.success then 'completed'
                else 'failed' end::varchar(50),
           case when session.completed_at is not null then session.success end,
           session.total_urls::int, session.completed_urls::int, session.failed_urls::int,
           session.completed_urls::int, session.pages_indexed::int, session.pages_failed::int,
           session.chunking_ms::float, session.embedding_ms::float, session.index_ms::float, session.bm25_ms::float,
           session.duration_ms::float, quarry.time_of(session.started_at),
           (session.completed_at - session.started_at)::float, session.auto_index, null::timestamptz,
           quarry.json_of(session.extra) || jsonb_build_object('owner', session.owner), nullif(session.error, ''),
           quarry.time_of(session.started_at), quarry.time_of(coalesce(session.completed_at, session.started_at))
    from quarry.session;

-- Of each page that the index was told of, or given up on, four rows. The words' part of indexing is not
-- measured by itself: it is in `qdrant`, and `bm25` has none.
create view webhook.operation_metrics as
    select quarry.public_id(change.id * 4 + operation.place, change.created_at) as id,
           quarry.time_of(change.finished_at) as "timestamp", operation.type::varchar(50) as operation_type,
           operation.name::varchar(100) as operation_name, coalesce(operation.us, 0) / 1000.0::float as duration_ms,
           change.state = 2 as success, case when change.state = 3 then change.last_error end as error_message,
           null::varchar(100) as request_id,
           quarry.public_id(change.id, change.created_at)::text::varchar(100) as job_id,
           grp.uuid::text::varchar(255) as crawl_id, left(change.url, 500)::varchar(500) as document_url,
           jsonb_build_object('collection', change.collection, 'chunks', change.chunks, 'note', change.note)
               as extra_metadata,
           quarry.time_of(change.finished_at) as created_at
    from quarry.outbox as change left join quarry.grp on grp.id = change.grp
         cross join lateral (values (0, 'chunking', 'split_page', change.chunk_us),
                                    (1, 'embedding', 'embed_chunks', change.embed_us),
                                    (2, 'qdrant', 'index_chunks', change.index_us),
                                    (3, 'bm25', 'index_words', 0::bigint)) as operation(place, type, name, us)
    where change.state in (2, 3) and change.content is not null and change.finished_at is not null;

create view webhook.request_metrics as
    select quarry.public_id(request.id, request.at) as id, quarry.time_of(request.at) as "timestamp",
           left(request.method, 10)::varchar(10) as method, left(request.path, 500)::varchar(500) as path,
           request.status as status_code, request.took_us / 1000.0::float as duration_ms,
           left(request.request_id, 100)::varchar(100) as request_id, left(request.peer, 50)::varchar(50) as client_ip,
           left(request.user_agent, 500)::varchar(500) as user_agent,
           quarry.json_of(request.extra) || jsonb_build_object('route', request.route, 'owner', request.owner)
               as extra_metadata,
           quarry.time_of(request.at) as created_at
    from quarry.request;

-- Pages that were said to have changed: each is a group of one page that was fetched again.
create view webhook.change_events as
    select grp.id, left(event.about ->> 'watch_id', 255)::varchar(255) as watch_id,
           event.about ->> 'watch_url' as watch_url,
           coalesce(quarry.time_said(event.about ->> 'detected_at'), quarry.time_of(grp.created_at)) as detected_at,
           event.about ->> 'diff_summary' as diff_summary, event.about ->> 'snapshot_url' as snapshot_url,
           grp.uuid::text::varchar(255) as rescrape_job_id,
           case when grp.state = 2 and grp.completed = 0 then 'failed'
                else (array['queued', 'running', 'completed', 'failed', 'cancelled', 'paused'])[grp.state + 1]
           end::varchar(50) as rescrape_status,
           case when grp.indexed > 0
                then quarry.time_of(coalesce((select min(change.finished_at) from quarry.outbox as change
                                              where change.grp = grp.id and change.state = 2), grp.finished_at))
           end as indexed_at,
           event.about -> 'metadata' as metadata, quarry.time_of(grp.created_at) as created_at
    from quarry.grp cross join lateral (
         select coalesce(quarry.json_of(grp.options) -> 'about', '{}') as about offset 0) as event
    where grp.kind = 'rescrape';
)sql";

}  // namespace quarry::store::postgres
