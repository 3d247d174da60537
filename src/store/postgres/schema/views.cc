// Firecrawl's queue for SQL that was written for it: the schema `nuq`, as views. Only ids and indexes are
// stored for the views. docs/postgres-views.md says what the columns mean here.
//
// Most queries ask for single pages or crawls of one status. The views therefore consist of branches. Each
// branch has one status and states the type of every column: the planner leaves out the branches that cannot
// match, and uses the state's indexes for the others.
#include <array>
#include <string>

#include "db/postgres/migration.h"
#include "store/postgres/schema/schema.h"
#include "store/postgres/schema/views_2.h"
#include "store/postgres/schema/views_3.h"

namespace quarry::store::postgres {

inline constexpr const char* views_1_parts = R"sql(
create function quarry.time_of(ms bigint) returns timestamptz language sql immutable strict parallel safe as $$
    select to_timestamp(ms / 1000::double precision)
$$;

-- JSON that may have come from the web: what jsonb cannot hold is left out, and what is no object is empty.
create function quarry.json_of(said text) returns jsonb language plpgsql immutable as $$
declare
    parsed jsonb;
begin
    parsed := replace(said, '\u0000', '\ufffd')::jsonb;
    return case when jsonb_typeof(parsed) = 'object' then parsed else '{}' end;
exception when others then
    return '{}';
end $$;

create function quarry.time_said(said text) returns timestamptz language plpgsql stable as $$
begin
    return said::timestamptz;
exception when others then
    return null;
end $$;

-- What all URLs of a group have in common of a job's `data`. Headers may be secrets: they are left out.
create function quarry.data_of(said text, team text, crawl uuid, zero_retention boolean) returns jsonb
language plpgsql immutable cost 10000 as $$
declare
    options jsonb := quarry.json_of(said);
begin
    return jsonb_build_object('mode', 'single_urls', 'team_id', team, 'origin', 'api', 'apiKeyId', null,
                              'scrapeOptions', coalesce(options -> 'scrapeOptions', '{}') - 'headers',
                              'zeroDataRetention', zero_retention, 'concurrencyLimited', false)
        || case when crawl is null then '{"is_scrape": true}'
           else jsonb_build_object('crawl_id', crawl, 'crawlerOptions', options - '{urls,scrapeOptions,webhook,about,owner}'::text[])
           end
        || case when options ? 'webhook'
                then jsonb_build_object('webhook', jsonb_build_object('url', options -> 'webhook' -> 'url',
                                                                      'events', options -> 'webhook' -> 'events'))
                else '{}' end;
end $$;

-- A page as `returnvalue` has it: its words and details, with facts of its visit. Reads no table, so that whoever may
-- read a view need not be allowed to read the tables.
create function quarry.document(markdown text, details text, facts jsonb) returns jsonb
language plpgsql immutable cost 10000 as $$
declare
    said jsonb := quarry.json_of(details);
begin
    return said - '{links,nofollow,frames,metadata}'::text[]
        || jsonb_build_object('url', facts -> 'url', 'content', markdown, 'markdown', markdown,
                              'linksOnPage', coalesce(said -> 'links', '[]'),
                              'metadata', jsonb_build_object('title', facts -> 'title') || coalesce(said -> 'metadata', '{}')
                                          || facts - 'title');
end $$;

create index grp_time_created on quarry.grp(quarry.time_of(created_at));
create index grp_time_began on quarry.grp(quarry.time_of(coalesce(started_at, created_at)));
create unique index grp_uuid on quarry.grp(uuid);
create index grp_job_id on quarry.grp((uuid::text::varchar(255)));
create index session_time_began on quarry.session(quarry.time_of(started_at));
create index session_job_id on quarry.session((uuid::text::varchar(255)));
create index request_time on quarry.request(quarry.time_of(at));

-- Who wants to be told when a job or a group is over: its id and the channel.
create table quarry.listener(id bigint primary key, channel text not null);

)sql";

inline constexpr const char* views_1_nuq = R"sql(
create schema nuq;
comment on schema nuq is 'views of quarry';
create type nuq.job_status as enum ('queued', 'active', 'completed', 'failed');
create type nuq.group_status as enum ('active', 'completed', 'cancelled');

-- Single pages, which are groups of one URL, and of those that it redirects to: the last one counts. What is made of
-- a row's JSON is made once, and only if it is asked for.
create view quarry.single as
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
                                'sourceURL', url.url, 'url', coalesce(nullif(url.final_url, ''), url.url), 'scrapeId', grp.uuid))
                     from quarry.content left join quarry.page on page.id = content.page
                     where content.id = url.content) as returnvalue
             offset 0) as document
    where grp.kind in ('scrape', 'rescrape');

-- Pages of crawls and batches. What they have in common is made once.
create view quarry.crawled as
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
                                'sourceURL', url.url, 'url', coalesce(nullif(url.final_url, ''), url.url)))
                     from quarry.content left join quarry.page on page.id = content.page
                     where content.id = url.content) as returnvalue
             offset 0) as document
    where grp.kind not in ('scrape', 'rescrape');

-- Skipped URLs are no jobs of a queue, nor is what a crawl left when it was over. The newest single pages are
-- asked for most often: they come in that order, so that a hundred cost no more than a hundred.
create view nuq.queue_scrape as
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
    where state = 0 and group_state in (1, 5);

-- What waits for a place: pages of crawls that have not begun, and jobs over their owner's limit.
create view nuq.queue_scrape_backlog as
    select id, data || '{"concurrencyLimited": true}' as data, created_at, priority, null::text as listen_channel_id,
           owner_id, group_id, null::timestamptz as times_out_at
    from quarry.crawled where state = 0 and group_state = 0
    union all
    select quarry.public_id(job.id, job.created_at),
           quarry.json_of(payload.body)
               || jsonb_build_object('mode', kind.name, 'team_id', owner.name, 'concurrencyLimited', true),
           quarry.time_of(job.created_at), job.priority,
           (select channel from quarry.listener where listener.id = job.id), owner.uuid, grp.uuid,
           quarry.time_of(job.start_by)
    from quarry.parked as job join quarry.kind on kind.id = job.kind join quarry.owner on owner.id = job.owner
         left join quarry.payload on payload.id = job.id left join quarry.grp on grp.id = job.grp
    where job.reason = 2;

create view nuq.group_crawl as
    select grp.uuid as id,
           case grp.state when 2 then 'completed' when 3 then 'completed' when 4 then 'cancelled' else 'active'
           end::nuq.group_status as status,
           quarry.time_of(grp.created_at) as created_at, owner.uuid as owner_id, 86400000::bigint as ttl,
           quarry.time_of(grp.finished_at + 86400000) as expires_at
    from quarry.grp join quarry.owner on owner.id = grp.owner
    where grp.kind not in ('scrape', 'rescrape');

create view nuq.queue_crawl_finished as
    select grp.uuid as id, 'completed'::nuq.job_status as status, grp.priority,
           quarry.time_of(grp.finished_at) as created_at, quarry.time_of(grp.finished_at) as finished_at,
           null::uuid as lock, null::timestamptz as locked_at, 0 as stalls,
           quarry.data_of(grp.options, owner.name, grp.uuid, grp.zero_retention) - 'mode' as data,
           null::jsonb as returnvalue, null::text as failedreason, owner.uuid as owner_id, grp.uuid as group_id,
           (select channel from quarry.listener where listener.id = grp.id) as listen_channel_id
    from quarry.grp join quarry.owner on owner.id = grp.owner
    where grp.finished_at is not null and grp.kind not in ('scrape', 'rescrape');
)sql";

// The transaction that ends a job or crawl sends its id to a channel. The name of the channel comes from the
// field `listenChannelId` of a job's payload, or of what a crawl's client says about the crawl; or a client
// that knows an id asks with nuq.listen_for. A name that PostgreSQL would refuse is not kept, because the
// refusal would undo the end.
inline constexpr const char* views_1_channels = R"sql(
create function quarry.keep_listener(id bigint, channel text) returns void language sql as $$
    insert into quarry.listener select id, channel where octet_length(channel) between 1 and 63
        on conflict do nothing
$$;

create function quarry.tell_listener(id bigint, created_at bigint) returns void language plpgsql as $$
declare
    told text;
begin
    delete from quarry.listener where listener.id = tell_listener.id returning channel into told;
    if found then perform pg_notify(told, quarry.public_id(id, created_at)::text); end if;
end $$;

create function quarry.payload_added() returns trigger language plpgsql as $$
begin
    perform quarry.keep_listener(new.id, quarry.json_of(new.body) ->> 'listenChannelId');
    return null;
end $$;
create trigger payload_added after insert on quarry.payload for each row
    when (new.body like '%"listenChannelId"%') execute function quarry.payload_added();

create function quarry.group_added() returns trigger language plpgsql as $$
begin
    perform quarry.keep_listener(new.id, quarry.json_of(new.options) -> 'about' ->> 'listenChannelId');
    return null;
end $$;
create trigger group_added after insert on quarry.grp for each row
    when (new.options like '%"listenChannelId"%') execute function quarry.group_added();

create function quarry.group_ended() returns trigger language plpgsql as $$
begin
    perform quarry.tell_listener(new.id, new.created_at);
    return null;
end $$;
create trigger group_ended after update of finished_at on quarry.grp for each row
    when (old.finished_at is null and new.finished_at is not null) execute function quarry.group_ended();

-- Once for each statement, and at the cost of a look into an empty table when nobody listens.
create function quarry.jobs_ended() returns trigger language plpgsql as $$
begin
    if exists (select from quarry.listener) then
        perform quarry.tell_listener(ended.id, ended.created_at)
        from ended join quarry.listener on listener.id = ended.id;
    end if;
    return null;
end $$;
create trigger jobs_ended after insert on quarry.done referencing new table as ended
    for each statement execute function quarry.jobs_ended();

-- True if the job, crawl or single page of that id is open: then the channel will be told of its end.
create function nuq.listen_for(id uuid, channel text) returns boolean language plpgsql as $$
declare
    number bigint := quarry.number_of(id);
begin
    perform from quarry.grp where grp.id = number and grp.uuid = listen_for.id and finished_at is null for share;
    if not found then
        perform from quarry.job where job.id = number and finished_at is null;
        if not found then return false; end if;
    end if;
    perform quarry.keep_listener(number, channel);
    return octet_length(channel) between 1 and 63;
end $$;
)sql";

// Metrics for SQL that was written for a webhook bridge beside Firecrawl: the schema `webhook`, as views.
// docs/postgres-views.md says what the columns mean here.

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

namespace {

const std::array view_steps = {
    std::string(views_1_parts) + views_1_nuq + views_1_channels + views_1_webhook,
    std::string(views_2_parts) + views_2_nuq + views_2_webhook,
    std::string(views_3),
};

db::PgTables views() {
    return {.schema = "quarry", .version = "views", .what = "quarry's views", .steps = view_steps};
}

// Ours have a comment that says so.
Result<bool> is_taken(db::PgConnection& connection) {
    const auto foreign = TRY(
        connection.query("select exists (select from pg_namespace where nspname in ('nuq', 'webhook')"
                         " and obj_description(oid, 'pg_namespace') is distinct from 'views of quarry')"));
    return foreign.boolean(0, 0);
}

}  // namespace

Result<bool> migrate_views(db::PgConnection& connection) {
    if (TRY(is_taken(connection))) return false;
    const auto made = db::pg_migrate(connection, views());
    // Views that a newer program made serve their readers equally well.
    if (!made && made.error().code != ErrorCode::unsupported) return std::unexpected(made.error());
    return true;
}

}  // namespace quarry::store::postgres
