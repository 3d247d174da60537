// The second version of the views. It adds what is known of each request (its origin, its trace, its key),
// the HTML and data of pages, crawls and sitemaps as jobs of their own, and retention times as they were
// promised. It reads operations from the table that keeps them longer than the embedding queue does. Views
// are replaced, not dropped: other views may depend on them, so every column keeps its name and type.
#pragma once

namespace quarry::store::postgres {

inline constexpr const char* views_2_parts = R"sql(
-- What all URLs of a group have in common of a job's `data`. Headers may be secrets: they are left out.
create or replace function quarry.data_of(said text, team text, crawl uuid, zero_retention boolean) returns jsonb
language plpgsql immutable cost 10000 as $$
declare
    options jsonb := quarry.json_of(said);
    request jsonb := coalesce(options -> 'request', '{}');
begin
    return jsonb_build_object('mode', 'single_urls', 'team_id', team, 'origin', coalesce(request ->> 'origin', 'cli'),
                              'apiKeyId', request -> 'apiKeyId',
                              'v1', coalesce(request -> 'v1', 'false'),
                              'scrapeOptions', coalesce(options -> 'scrapeOptions', '{}') - 'headers',
                              -- quarry's own, which Firecrawl has no names for.
                              'internalOptions', jsonb_strip_nulls(jsonb_build_object(
                                  'collection', options -> 'collection', 'embed', options -> 'embed',
                                  'priority', options -> 'priority', 'keepErrors', options -> 'keepErrors',
                                  'requestId', request -> 'requestId')),
                              'zeroDataRetention', zero_retention, 'concurrencyLimited', false)
        || case when crawl is null then '{"is_scrape": true}'
           else jsonb_build_object('crawl_id', crawl,
                                   'crawlerOptions', options - '{urls,scrapeOptions,webhook,about,owner,request,keep}'::text[])
           end
        || case when options -> 'scrapeOptions' ? 'location'
                then jsonb_build_object('location', options -> 'scrapeOptions' -> 'location') else '{}' end
        || case when request ? 'traceparent'
                then jsonb_build_object('traceContext', jsonb_strip_nulls(jsonb_build_object(
                         'traceparent', request -> 'traceparent', 'tracestate', request -> 'tracestate')))
                else '{}' end
        || case when options ? 'webhook'
                then jsonb_build_object('webhook', jsonb_build_object('url', regexp_replace(
                                                                          options -> 'webhook' ->> 'url',
                                                                          '://[^/?#]*@', '://'),
                                                                      'events', options -> 'webhook' -> 'events'))
                else '{}' end;
end $$;

-- A page as `returnvalue` has it: its words and details, with facts of its visit. `times`: when it came, and when it
-- was met last. Reads no table, so that whoever may read a view need not be allowed to read the tables.
create function quarry.document(markdown text, details text, facts jsonb, html text, times jsonb) returns jsonb
language plpgsql immutable cost 10000 as $$
declare
    said    jsonb := quarry.json_of(details);
    answers jsonb := coalesce(said -> 'answers', '{}');
    links   jsonb := coalesce(said -> 'links', '[]');
    site    text := substring(facts ->> 'url' from '^[a-z]+://[^/?#]+');
begin
    return quarry.document(markdown, details, facts) - 'answers'
        || answers - 'error'
        || case when answers ? 'json' then jsonb_build_object('llm_extraction', answers -> 'json') else '{}' end
        || case when answers ? 'error' then jsonb_build_object('warning', answers -> 'error') else '{}' end
        || case when html is not null then jsonb_build_object('html', html) else '{}' end
        || times
        || jsonb_build_object(
               'childrenLinks', (select coalesce(jsonb_agg(link), '[]') from jsonb_array_elements_text(links) as link
                                 where link = site or starts_with(link, site || '/') or starts_with(link, site || '?')),
               'provider', case when said ?| '{media,actions,branding}' then 'browser' else 'http' end,
               'type', case when facts ->> 'contentType' like '%html%' then 'html'
                            when facts ->> 'contentType' like '%pdf%' then 'pdf'
                            else split_part(coalesce(facts ->> 'contentType', ''), ';', 1) end);
end $$;
)sql";

inline constexpr const char* views_2_nuq = R"sql(
create or replace view quarry.single as
    select grp.uuid as id, grp.priority, quarry.time_of(grp.created_at) as created_at,
           quarry.time_of(coalesce(url.finished_at, grp.finished_at)) as finished_at, url.stalls,
           common.data || jsonb_build_object('url', url.url) as data, document.returnvalue,
           coalesce(nullif(url.note, ''), nullif(grp.error, ''), case grp.state when 4 then 'cancelled' else 'failed' end)
               as failedreason,
           owner.uuid as owner_id, null::uuid as group_id,
           (select channel from quarry.listener where listener.id = grp.id) as listen_channel_id,
           grp.completed > 0 as has_page, grp.finished_at is not null as is_over, url.id as number
    from quarry.grp join quarry.owner on owner.id = grp.owner
         cross join lateral (
             select * from quarry.frontier where frontier.grp = grp.id order by frontier.id desc limit 1) as url
         cross join lateral (
             select quarry.data_of(grp.options, owner.name, null, grp.zero_retention) as data offset 0) as common
         cross join lateral (
             select (select quarry.document(content.markdown, content.details, jsonb_build_object(
                                'title', page.title, 'contentType', page.content_type, 'statusCode', url.status,
                                'sourceURL', url.url, 'url', coalesce(nullif(url.final_url, ''), url.url), 'scrapeId', grp.uuid),
                                content.html, jsonb_build_object('createdAt', quarry.time_of(page.changed_at),
                                                                 'updatedAt', quarry.time_of(page.fetched_at)))
                     from quarry.content left join quarry.page on page.id = content.page
                     where content.id = url.content) as returnvalue
             offset 0) as document
    where grp.kind in ('scrape', 'rescrape');

create or replace view quarry.crawled as
    select quarry.public_id(url.id, grp.created_at) as id, grp.priority, quarry.time_of(grp.created_at) as created_at,
           quarry.time_of(url.finished_at) as finished_at, url.stalls,
           common.data || jsonb_build_object('url', url.url, 'sitemapped', url.source = 2) as data, document.returnvalue,
           coalesce(nullif(url.note, ''), case url.state when 5 then 'cancelled' else 'failed' end) as failedreason,
           owner.uuid as owner_id, grp.uuid as group_id, grp.state as group_state, url.state, url.id as number
    from quarry.grp join quarry.owner on owner.id = grp.owner
         cross join lateral (
             select quarry.data_of(grp.options, owner.name, grp.uuid, grp.zero_retention) as data offset 0) as common
         join quarry.frontier as url on url.grp = grp.id
         cross join lateral (
             select (select quarry.document(content.markdown, content.details, jsonb_build_object(
                                'title', page.title, 'contentType', page.content_type, 'statusCode', url.status,
                                'sourceURL', url.url, 'url', coalesce(nullif(url.final_url, ''), url.url)),
                                content.html, jsonb_build_object('createdAt', quarry.time_of(page.changed_at),
                                                                 'updatedAt', quarry.time_of(page.fetched_at)))
                     from quarry.content left join quarry.page on page.id = content.page
                     where content.id = url.content) as returnvalue
             offset 0) as document
    where grp.kind not in ('scrape', 'rescrape');

-- Crawls as jobs that begin them: waiting, begun, or cancelled before that.
create view quarry.kickoff as
    select md5('kickoff ' || grp.uuid::text)::uuid as id, grp.priority, quarry.time_of(grp.created_at) as created_at,
           quarry.time_of(coalesce(grp.started_at, grp.finished_at)) as finished_at,
           common.data || jsonb_build_object('mode', 'kickoff', 'url', grp.name) as data,
           case grp.state when 4 then 'cancelled' else coalesce(nullif(grp.error, ''), 'failed') end as failedreason,
           owner.uuid as owner_id, grp.uuid as group_id, grp.started_at is not null as has_begun,
           grp.finished_at is not null as is_over
    from quarry.grp join quarry.owner on owner.id = grp.owner
         cross join lateral (
             select quarry.data_of(grp.options, owner.name, grp.uuid, grp.zero_retention) as data offset 0) as common
    where grp.kind = 'crawl';

-- Sitemaps of crawls, each of which is a job.
create view quarry.kickoff_sitemap as
    select quarry.public_id(job.id, job.created_at) as id, job.priority, quarry.time_of(grp.created_at) as created_at,
           quarry.time_of(job.finished_at) as finished_at, job.stalls, job.state, job.token, job.started_at,
           common.data || jsonb_build_object('mode', 'kickoff_sitemap',
                                             'sitemapUrl', quarry.json_of(payload.body) -> 'url') as data,
           coalesce(job.last_error, 'failed') as failedreason, owner.uuid as owner_id, grp.uuid as group_id
    from quarry.grp join quarry.owner on owner.id = grp.owner
         cross join lateral (
             select quarry.data_of(grp.options, owner.name, grp.uuid, grp.zero_retention)
                        - '{crawlerOptions,scrapeOptions,internalOptions}'::text[] as data offset 0) as common
         join quarry.job on job.grp = grp.id
         join quarry.kind on kind.id = job.kind and kind.name = 'read_sitemap'
         left join quarry.payload on payload.id = job.id
    where grp.kind = 'crawl';

create or replace view nuq.queue_scrape as
    (select id, 'completed'::nuq.job_status as status, priority, created_at, finished_at, null::uuid as lock,
            null::timestamptz as locked_at, stalls, data, returnvalue, null::text as failedreason, owner_id, group_id,
            listen_channel_id
     from quarry.single where has_page order by created_at desc)
    union all
    select id, 'failed'::nuq.job_status, priority, created_at, finished_at, null::uuid, null::timestamptz, stalls, data,
           null::jsonb, failedreason, owner_id, group_id, listen_channel_id
    from quarry.single where is_over and not has_page
    union all
    select id, 'queued'::nuq.job_status, priority, created_at, null::timestamptz, null::uuid, null::timestamptz, stalls,
           data, null::jsonb, null::text, owner_id, group_id, listen_channel_id
    from quarry.single
    where not is_over and not has_page and not exists (select from quarry.url_lease where url_lease.id = number)
    union all
    select single.id, 'active'::nuq.job_status, priority, created_at, null::timestamptz,
           quarry.public_id(lease.token, lease.leased_at), quarry.time_of(lease.leased_at), stalls, data, null::jsonb,
           null::text, owner_id, group_id, listen_channel_id
    from quarry.single join quarry.url_lease as lease on lease.id = single.number
    where not is_over and not has_page
    union all
    select id, 'completed'::nuq.job_status, priority, created_at, finished_at, null::uuid, null::timestamptz, stalls,
           data, returnvalue, null::text, owner_id, group_id, null::text
    from quarry.crawled where state = 2
    union all
    select id, 'failed'::nuq.job_status, priority, created_at, finished_at, null::uuid, null::timestamptz, stalls, data,
           null::jsonb, failedreason, owner_id, group_id, null::text
    from quarry.crawled where state in (3, 5)
    union all
    select id, 'queued'::nuq.job_status, priority, created_at, null::timestamptz, null::uuid, null::timestamptz, stalls,
           data, null::jsonb, null::text, owner_id, group_id, null::text
    from quarry.crawled
    where state = 0 and group_state in (1, 5)
      and not exists (select from quarry.url_lease where url_lease.id = number)
    union all
    select crawled.id, 'active'::nuq.job_status, priority, created_at, null::timestamptz,
           quarry.public_id(lease.token, lease.leased_at), quarry.time_of(lease.leased_at), stalls, data, null::jsonb,
           null::text, owner_id, group_id, null::text
    from quarry.crawled join quarry.url_lease as lease on lease.id = crawled.number
    where state = 0 and group_state in (1, 5)
    union all
    select id, 'completed'::nuq.job_status, priority, created_at, finished_at, null::uuid, null::timestamptz, 0, data,
           null::jsonb, null::text, owner_id, group_id, null::text
    from quarry.kickoff where has_begun
    union all
    select id, 'queued'::nuq.job_status, priority, created_at, null::timestamptz, null::uuid, null::timestamptz, 0, data,
           null::jsonb, null::text, owner_id, group_id, null::text
    from quarry.kickoff where not has_begun and not is_over
    union all
    select id, 'failed'::nuq.job_status, priority, created_at, finished_at, null::uuid, null::timestamptz, 0, data,
           null::jsonb, failedreason, owner_id, group_id, null::text
    from quarry.kickoff where not has_begun and is_over
    union all
    select id, 'completed'::nuq.job_status, priority, created_at, finished_at, null::uuid, null::timestamptz, stalls,
           data, null::jsonb, null::text, owner_id, group_id, null::text
    from quarry.kickoff_sitemap where state = 2
    union all
    select id, 'queued'::nuq.job_status, priority, created_at, null::timestamptz, null::uuid, null::timestamptz, stalls,
           data, null::jsonb, null::text, owner_id, group_id, null::text
    from quarry.kickoff_sitemap where state in (0, 5)
    union all
    select id, 'active'::nuq.job_status, priority, created_at, null::timestamptz,
           quarry.public_id(token, started_at), quarry.time_of(started_at), stalls, data, null::jsonb, null::text,
           owner_id, group_id, null::text
    from quarry.kickoff_sitemap where state = 1
    union all
    select id, 'failed'::nuq.job_status, priority, created_at, finished_at, null::uuid, null::timestamptz, stalls, data,
           null::jsonb, failedreason, owner_id, group_id, null::text
    from quarry.kickoff_sitemap where state in (3, 4);

-- 30 days is how long a crawl is kept of which nothing was promised, unless the settings say otherwise: a database
-- does not know them.
create function quarry.kept_ms(completed bigint, keep_ms bigint, keep_failed_ms bigint) returns bigint
language sql immutable parallel safe as $$
    select coalesce(case when completed > 0 then keep_ms else keep_failed_ms end, 2592000000)
$$;

create or replace view nuq.group_crawl as
    select grp.uuid as id,
           case grp.state when 2 then 'completed' when 3 then 'completed' when 4 then 'cancelled' else 'active'
           end::nuq.group_status as status,
           quarry.time_of(grp.created_at) as created_at, owner.uuid as owner_id,
           quarry.kept_ms(grp.completed, grp.keep_ms, grp.keep_failed_ms) as ttl,
           quarry.time_of(grp.finished_at + quarry.kept_ms(grp.completed, grp.keep_ms, grp.keep_failed_ms))
               as expires_at
    from quarry.grp join quarry.owner on owner.id = grp.owner
    where grp.kind not in ('scrape', 'rescrape');

-- What a crawl brought, in the order in which it came.
create index frontier_listing on quarry.frontier(grp, state, (quarry.time_of(finished_at))) where finished_at is not null;
)sql";

inline constexpr const char* views_2_webhook = R"sql(
create or replace view webhook.crawl_sessions as
    select grp.uuid as id, grp.uuid::text::varchar(255) as job_id, left(grp.name, 500)::varchar(500) as base_url,
           case grp.kind when 'batch_scrape' then 'scrape_batch' when 'rescrape' then 'scrape' else grp.kind
           end::varchar(50) as operation_type,
           quarry.time_of(coalesce(grp.started_at, grp.created_at)) as started_at,
           quarry.time_of(grp.finished_at) as completed_at,
           case when grp.state = 2 and grp.completed = 0 and (grp.failed > 0 or grp.kind in ('scrape', 'rescrape'))
                then 'failed'
                else case grp.state when 2 then 'completed' when 3 then 'failed' when 4 then 'cancelled'
                                    else 'in_progress' end
           end::varchar(50) as status,
           case when grp.finished_at is not null
                then grp.state = 2 and (grp.completed > 0 or (grp.failed = 0 and grp.kind not in ('scrape', 'rescrape')))
           end as success,
           grp.discovered::int as total_urls, grp.completed::int as completed_urls, grp.failed::int as failed_urls,
           grp.completed::int as total_pages, grp.indexed::int as pages_indexed,
           (select coalesce(sum(changes.failed), 0) from quarry.outbox_count as changes where changes.grp = grp.id)::int
               as pages_failed,
           grp.chunk_us / 1000.0::float as total_chunking_ms, grp.embed_us / 1000.0::float as total_embedding_ms,
           (grp.index_us - grp.words_us) / 1000.0::float as total_qdrant_ms,
           grp.words_us / 1000.0::float as total_bm25_ms,
           (grp.finished_at - coalesce(grp.started_at, grp.created_at))::float as duration_ms,
           quarry.time_of(grp.created_at) as initiated_at,
           (grp.finished_at - grp.created_at)::float as e2e_duration_ms, grp.index_pages as auto_index,
           quarry.time_of(grp.finished_at + quarry.kept_ms(grp.completed, grp.keep_ms, grp.keep_failed_ms)) as expires_at,
           jsonb_build_object('collection', grp.collection, 'owner', (select name from quarry.owner where owner.id = grp.owner),
                              'chunks', grp.chunks,
                              'bytes', grp.bytes, 'fetch_ms', grp.fetch_us / 1000.0::float,
                              'extract_ms', grp.extract_us / 1000.0::float)
               || case when grp.request_id = '' then '{}'::jsonb
                       else jsonb_build_object('request_id', grp.request_id, 'traceparent',
                                               quarry.json_of(grp.options) -> 'request' -> 'traceparent')
                  end as extra_metadata,
           coalesce(nullif(grp.error, ''),
                    case when grp.state = 2 and grp.completed = 0
                         then (select url.note from quarry.frontier as url where url.grp = grp.id and url.state in (3, 4)
                               order by url.id desc limit 1) end) as error_message,
           quarry.time_of(grp.created_at) as created_at,
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

-- Of each page that the index was told of, or given up on, four rows. The words' part of indexing is `bm25`, the rest of
-- it `qdrant`, whichever index it is.
create or replace view webhook.operation_metrics as
    select quarry.public_id(done.id * 4 + operation.place, done.at) as id,
           quarry.time_of(done.at) as "timestamp", operation.type::varchar(50) as operation_type,
           operation.name::varchar(100) as operation_name, operation.us / 1000.0::float as duration_ms,
           done.error is null as success, done.error as error_message,
           nullif(left(done.request_id, 100), '')::varchar(100) as request_id,
           quarry.public_id(done.job, done.job_created_at)::text::varchar(100) as job_id,
           quarry.public_id(done.grp, done.grp_created_at)::text::varchar(255) as crawl_id,
           left(done.url, 500)::varchar(500) as document_url,
           jsonb_build_object('collection', done.collection, 'chunks', done.chunks, 'note', nullif(done.note, ''))
               as extra_metadata,
           quarry.time_of(done.at) as created_at
    from quarry.operation as done
         cross join lateral (values (0, 'chunking', 'split_page', done.chunk_us),
                                    (1, 'embedding', 'embed_chunks', done.embed_us),
                                    (2, 'qdrant', 'index_chunks', greatest(done.index_us - done.words_us, 0)),
                                    (3, 'bm25', 'index_words', done.words_us)) as operation(place, type, name, us);

create index operation_time on quarry.operation(quarry.time_of(at));

-- A page whose words had not changed was in the index already.
create or replace view webhook.change_events as
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
                when grp.unchanged > 0 and grp.index_pages then quarry.time_of(grp.finished_at)
           end as indexed_at,
           event.about -> 'metadata' as metadata, quarry.time_of(grp.created_at) as created_at
    from quarry.grp cross join lateral (
         select coalesce(quarry.json_of(grp.options) -> 'about', '{}') as about offset 0) as event
    where grp.kind = 'rescrape';
)sql";

}  // namespace quarry::store::postgres
