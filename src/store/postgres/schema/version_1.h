// Version 1 of the schema.
//
// An open job's row is in exactly one of `ready` (may run now), `parked` (waits for something) and `lease`
// (runs); when it has ended it is in `done`. Rows move, nothing flips a state in a large table: what is
// claimed from stays as small as what waits. URLs and changes of the outbox are not moved, since they stay
// when they have ended; what may run now of them is named by the narrow tables url_ready and change_ready,
// and what runs by url_lease and change_lease.
//
// Whatever is done to a crawl's frontier is done while its row in `grp` is locked.
//
// Times are milliseconds since 1970 by the server's clock. States are the numbers of model/job.h and
// model/frontier.h. Ids come from one sequence.
#pragma once

namespace quarry::store::postgres {

inline constexpr const char* schema_1_jobs = R"sql(
create sequence quarry.id;
create sequence quarry.token;

-- The server's clock, unless a test has set another one for its transaction.
create function quarry.now_ms() returns bigint language sql stable parallel safe as $$
    select coalesce(nullif(current_setting('quarry.now', true), '')::bigint,
                    floor(extract(epoch from clock_timestamp()) * 1000)::bigint)
$$;

create table quarry.kind(
    id   smallint generated always as identity primary key,
    name text not null unique
);

create table quarry.owner(
    id                  integer generated always as identity primary key,
    name                text not null unique,
    running_jobs        bigint,  -- limits; null for the standard ones
    running_groups      bigint,
    open_jobs           bigint,
    requests_per_minute bigint,
    pages_per_month     bigint,
    uuid                uuid not null generated always as (quarry.owner_uuid(name)) stored
);

-- What owners have, in stripes: each connection adds to its own, so that nobody waits for another's commit.
-- The sum is what counts.
create table quarry.tally(
    owner        integer not null,
    stripe       integer not null,
    open_jobs    bigint not null default 0,
    running_jobs bigint not null default 0,
    running_urls bigint not null default 0,
    primary key(owner, stripe)
) with (fillfactor = 50);

create table quarry.worker(
    id      bigint primary key,
    name    text not null,
    beat_at bigint not null,
    is_dead boolean not null default false,  -- what it held was taken back
    lost    bigint[] not null default '{}'   -- leases it has lost and was not told of
) with (fillfactor = 50);

create table quarry.ready(
    id             bigint not null,
    kind           smallint not null,
    priority       integer not null,
    turn           bigint not null,  -- owners and groups take turns: the smaller first
    owner          integer not null,
    grp            bigint,
    attempts       integer not null,
    max_attempts   integer not null,
    stalls         integer not null,
    zero_retention boolean not null,
    created_at     bigint not null,
    run_at         bigint,
    start_by       bigint,
    deadline       bigint,
    unique_key     text,
    last_error     text,
    primary key(kind, id)
);
create index ready_turn on quarry.ready(kind, priority, turn, id);
create index ready_grp on quarry.ready(grp) where grp is not null;
create index ready_start_by on quarry.ready(start_by) where start_by is not null;
create index ready_deadline on quarry.ready(deadline) where deadline is not null;

create table quarry.parked(
    id             bigint primary key,
    kind           smallint not null,
    priority       integer not null,
    reason         smallint not null,  -- 1 waits for run_at, 2 for a place of its owner's, 3 for its group, 4 paused
    turn           bigint,             -- if it had one before
    owner          integer not null,
    grp            bigint,
    attempts       integer not null,
    max_attempts   integer not null,
    stalls         integer not null,
    zero_retention boolean not null,
    created_at     bigint not null,
    run_at         bigint,
    start_by       bigint,
    deadline       bigint,
    unique_key     text,
    last_error     text
);
create index parked_run_at on quarry.parked(run_at) where reason = 1;
create index parked_owner on quarry.parked(owner, priority, turn, id) where reason = 2;
create index parked_grp on quarry.parked(grp) where grp is not null;
create index parked_start_by on quarry.parked(start_by) where start_by is not null;
create index parked_deadline on quarry.parked(deadline) where deadline is not null;

create table quarry.lease(
    id             bigint primary key,
    token          bigint not null,
    worker         bigint not null,
    kind           smallint not null,
    priority       integer not null,
    owner          integer not null,
    grp            bigint,
    attempts       integer not null,
    max_attempts   integer not null,
    stalls         integer not null,
    progress       integer not null default 0,
    has_begun      boolean not null default false,
    zero_retention boolean not null,
    created_at     bigint not null,
    leased_at      bigint not null,
    run_at         bigint,
    start_by       bigint,
    deadline       bigint,
    unique_key     text,
    last_error     text
) with (fillfactor = 70);
create index lease_grp on quarry.lease(grp) where grp is not null;
create index lease_deadline on quarry.lease(deadline) where deadline is not null;

create table quarry.done(
    id             bigint not null,
    kind           smallint not null,
    state          smallint not null,
    priority       integer not null,
    owner          integer not null,
    grp            bigint,
    attempts       integer not null,
    max_attempts   integer not null,
    stalls         integer not null,
    zero_retention boolean not null,
    created_at     bigint not null,
    started_at     bigint,
    finished_at    bigint not null,
    deadline       bigint,
    token          bigint,  -- of the lease that ended it: the same outcome sent again is recognised
    unique_key     text,
    last_error     text,
    result         text,
    primary key(id, finished_at)
) partition by range (finished_at);
create table quarry.done_other partition of quarry.done default;
create index done_grp on quarry.done(grp, id) where grp is not null;
create index done_failed on quarry.done(id) where state = 3;
create index done_age on quarry.done using brin(finished_at);  -- rows come in the order of time

create table quarry.payload(id bigint primary key, body text not null);
alter table quarry.payload alter column body set storage main;

-- Which open job has a key.
create table quarry.job_key(key text primary key, id bigint not null);

-- The last turn that a line of jobs was given, as far as anybody had time to write it down.
create table quarry.lane(
    kind     smallint not null,
    priority integer not null,
    owner    integer not null,
    grp      bigint not null,  -- 0 for none
    turn     bigint not null,
    primary key(kind, priority, owner, grp)
) with (fillfactor = 50);

create table quarry.schedule(
    name    text primary key,
    cron    text not null,
    job     text not null,  -- JSON
    grp     text,           -- JSON
    next_at bigint not null
);

create view quarry.job as
    select id, kind, 0::smallint as state, priority, owner, grp, attempts, max_attempts, stalls, 0 as progress,
           zero_retention, created_at, run_at, null::bigint as started_at, null::bigint as finished_at, start_by,
           deadline, unique_key, last_error, null::bigint as worker, null::bigint as token, null::text as result
    from quarry.ready
    union all
    select id, kind, case when reason = 4 then 5 else 0 end::smallint, priority, owner, grp, attempts, max_attempts,
           stalls, 0, zero_retention, created_at, run_at, null, null, start_by, deadline, unique_key, last_error,
           null, null, null
    from quarry.parked
    union all
    select id, kind, 1::smallint, priority, owner, grp, attempts, max_attempts, stalls, progress, zero_retention,
           created_at, run_at, leased_at, null, start_by, deadline, unique_key, last_error, worker, token, null
    from quarry.lease
    union all
    select id, kind, state, priority, owner, grp, attempts, max_attempts, stalls, 0, zero_retention, created_at,
           null, started_at, finished_at, null, deadline, unique_key, last_error, null, token, result
    from quarry.done;
)sql";

inline constexpr const char* schema_1_crawls = R"sql(
create table quarry.grp(
    id             bigint primary key,
    kind           text not null,
    name           text not null,
    options        text not null,
    collection     text not null,
    site           text not null,
    owner          integer not null,
    state          smallint not null,
    priority       integer not null,
    company        smallint not null,
    page_limit     bigint not null,
    url_limit      bigint not null,
    index_pages    boolean not null,
    zero_retention boolean not null,
    request_key    text,
    closing_jobs   text not null,     -- JSON, with the notice; emptied of those that were added
    roots          text not null,     -- JSON
    error          text not null,
    created_at     bigint not null,
    started_at     bigint,
    finished_at    bigint,
    last_id        bigint,            -- no row of the group has a greater id; set when it is over
    has_aliases    boolean not null default false,
    jobs_open      bigint not null default 0,
    discovered     bigint not null default 0,
    queued         bigint not null default 0,
    running        bigint not null default 0,
    completed      bigint not null default 0,
    failed         bigint not null default 0,
    skipped        bigint not null default 0,
    unchanged      bigint not null default 0,
    duplicates     bigint not null default 0,
    gone           bigint not null default 0,
    not_admitted   bigint not null default 0,
    removed        bigint not null default 0,
    bytes          bigint not null default 0,
    indexed        bigint not null default 0,
    chunks         bigint not null default 0,
    fetch_us       bigint not null default 0,
    extract_us     bigint not null default 0,
    chunk_us       bigint not null default 0,
    embed_us       bigint not null default 0,
    index_us       bigint not null default 0,
    uuid           uuid not null generated always as (quarry.public_id(id, created_at)) stored  -- as users see it
) with (fillfactor = 50);
create unique index grp_request_key on quarry.grp(owner, request_key) where request_key is not null;
create index grp_open on quarry.grp(priority, id) where finished_at is null;
create index grp_finished_at on quarry.grp(finished_at) where finished_at is not null;
create index grp_owner on quarry.grp(owner, id);
create index grp_crawls on quarry.grp(id) where kind <> 'scrape';  -- of which there are many more
create index grp_began on quarry.grp(coalesce(started_at, created_at));

create table quarry.host(
    id          bigint generated always as identity primary key,
    name        text not null unique,
    connections integer,         -- null: nothing is known of the host yet
    delay       bigint,
    not_before  bigint,
    holder      bigint,          -- the worker that it belongs to, while that holds URLs of it
    held        integer not null default 0,
    freed_at    bigint           -- when its last URL was given back: the next worker keeps the delay from then
) with (fillfactor = 70);

-- The URLs of crawls. They stay when they are done, since they are how a crawl knows what it has seen.
create table quarry.frontier(
    id          bigint primary key,
    grp         bigint not null,
    host        bigint not null,
    key         bytea not null,
    state       smallint not null,  -- of UrlState, except running, which is a row in url_lease
    run_at      bigint,             -- set while a queued URL waits for its time
    depth       integer not null,
    redirects   integer not null,
    source      smallint not null,
    priority    integer not null,
    attempts    integer not null default 0,
    stalls      integer not null default 0,
    skipped     smallint not null default 0,
    status      integer not null default 0,
    error       smallint,           -- of ErrorCode; null if it did not fail, or nobody knows why
    content     bigint,
    finished_at bigint,
    token       bigint,             -- of the lease that ended it
    fetch_us    bigint,
    extract_us  bigint,
    url         text not null,
    final_url   text,
    note        text
) with (fillfactor = 80);
create unique index frontier_key on quarry.frontier(grp, key);
create index frontier_grp on quarry.frontier(grp, id);
create index frontier_failed on quarry.frontier(grp, id) where state in (3, 5);

-- Those of open crawls that may be fetched now; and the hosts which have some, the next to be served first.
create table quarry.url_ready(
    grp      bigint not null,
    host     bigint not null,
    priority integer not null,
    id       bigint not null,
    primary key(grp, host, priority, id)
);
create table quarry.url_lane(
    grp  bigint not null,
    host bigint not null,
    turn bigint not null,
    primary key(grp, host)
) with (fillfactor = 50);

-- Those of open crawls that wait for their time.
create table quarry.url_delayed(id bigint primary key, grp bigint not null, run_at bigint not null);
create index url_delayed_run_at on quarry.url_delayed(run_at);
create index url_delayed_grp on quarry.url_delayed(grp);

create table quarry.url_lease(
    id        bigint primary key,
    token     bigint not null,
    worker    bigint not null,
    owner     integer not null,
    grp       bigint not null,
    host      bigint not null,
    has_begun boolean not null default false,
    leased_at bigint not null
) with (fillfactor = 70);
create index url_lease_grp on quarry.url_lease(grp);

-- Keys that a crawl knows as another name of one of its URLs (rel=canonical): never fetched.
create table quarry.alias(
    grp bigint not null,
    key bytea not null,
    url bigint not null,  -- in the frontier
    primary key(grp, key)
);

-- What a crawl brought, in the order in which it came: sequences are ids too.
create table quarry.result(
    grp      bigint not null,
    sequence bigint not null,
    url      bigint not null,  -- in the frontier
    page     bigint not null,
    content  bigint not null,
    primary key(grp, sequence)
);
create index result_page on quarry.result(page, content);
create index result_url on quarry.result(url);

create view quarry.url as
    select frontier.*, url_lease.worker, url_lease.leased_at, url_lease.token as lease_token,
           case when url_lease.id is not null then 1 else frontier.state end::smallint as url_state
    from quarry.frontier left join quarry.url_lease on url_lease.id = frontier.id;
)sql";

inline constexpr const char* schema_1_pages = R"sql(
create table quarry.page(
    id                bigint primary key,
    collection        text not null,    -- "#17" for a crawl 17 without retention: its pages are its own
    key               bytea not null,
    site              text not null,
    content           bigint not null,
    outbox            bigint,           -- its last row there; null if it never had one
    version           bigint not null,  -- counts changes of the words
    seen_by           bigint not null,  -- the last crawl that met it
    missed            integer not null, -- complete crawls since then
    status            integer not null,
    content_hash      bigint not null,
    simhash           bigint not null,
    body_bytes        bigint not null,
    fetched_at        bigint not null,
    changed_at        bigint not null,
    near_duplicate_of bytea,
    url               text not null,
    final_url         text not null,
    etag              text not null,
    last_modified     text not null,
    content_type      text not null,
    title             text not null,
    language          text not null
) with (fillfactor = 80);
create unique index page_key on quarry.page(collection, key);
create index page_collection on quarry.page(collection, id);
create index page_site on quarry.page(site, collection);

-- The words. A version lives as long as its page has it or a crawl brought it. They are text, compressed by the
-- server, so that it can be asked for them in SQL; HTML is compressed already (pack.h).
create table quarry.content(
    id       bigint primary key,
    page     bigint not null,
    details  text not null,  -- JSON
    markdown text not null,
    html     bytea
);
alter table quarry.content alter column html set storage external;
do $$ begin
    alter table quarry.content alter column details set compression lz4, alter column markdown set compression lz4;
exception when feature_not_supported then null;  -- a server that was built without it has its own way
end $$;

-- Changes of pages, in order, waiting to be indexed: the embedding queue.
create table quarry.outbox(
    id          bigint primary key,
    page        bigint not null,
    content     bigint,           -- null: the page was removed
    version     bigint not null,
    collection  text not null,
    grp         bigint,
    state       smallint not null, -- of JobState, except running, which is a row in change_lease
    priority    integer not null,
    attempts    integer not null default 0,
    stalls      integer not null default 0,
    snoozes     integer not null default 0,  -- in a row
    run_at      bigint,
    created_at  bigint not null,
    finished_at bigint,
    token       bigint,            -- of the lease that ended it
    chunk_us    bigint,
    embed_us    bigint,
    index_us    bigint,
    chunks      bigint,
    url         text not null,
    last_error  text,
    note        text
) with (fillfactor = 80);
create index outbox_delayed on quarry.outbox(run_at, collection, grp) where state = 0 and run_at is not null;
create index outbox_ended on quarry.outbox(finished_at) where state in (2, 4);  -- failed ones have no age
create index outbox_failed on quarry.outbox(collection, id) where state = 3;
create index outbox_grp on quarry.outbox(grp, id) where grp is not null;
create index outbox_page on quarry.outbox(page);

create table quarry.change_ready(
    id         bigint primary key,
    priority   integer not null,
    collection text not null,
    page       bigint not null
);
create index change_ready_place on quarry.change_ready(priority, id);
create index change_ready_collection on quarry.change_ready(collection, priority, id);

-- Of one page never two are leased at once, or the older could be indexed after the newer.
create table quarry.change_lease(
    id        bigint primary key,
    token     bigint not null,
    worker    bigint not null,
    page      bigint not null unique,
    has_begun boolean not null default false,
    leased_at bigint not null
) with (fillfactor = 70);

create table quarry.outbox_count(
    grp        bigint not null,  -- 0 for none
    collection text not null,
    queued     bigint not null,  -- also those that are leased
    completed  bigint not null,
    failed     bigint not null,
    cancelled  bigint not null,
    paused     bigint not null,
    last_error text not null,
    primary key(grp, collection)
) with (fillfactor = 50);

create view quarry.change as
    select outbox.*, change_lease.worker, change_lease.leased_at, change_lease.token as lease_token,
           case when change_lease.id is not null then 1 else outbox.state end::smallint as change_state
    from quarry.outbox left join quarry.change_lease on change_lease.id = outbox.id;

create table quarry.collection(
    name       text primary key,
    provider   text not null,
    model      text not null,
    dimensions bigint not null,
    version    text not null,
    created_at bigint not null
);
)sql";

inline constexpr const char* schema_1_metrics = R"sql(
-- Operations other than crawls, whose sessions are read from grp.
create table quarry.session(
    id             bigint primary key,
    grp            bigint,
    job            bigint,
    operation      text not null,
    base_url       text not null,
    owner          text not null,
    started_at     bigint not null,
    completed_at   bigint,
    success        boolean not null,
    auto_index     boolean not null,
    total_urls     bigint not null,
    completed_urls bigint not null,
    failed_urls    bigint not null,
    pages_indexed  bigint not null,
    pages_failed   bigint not null,
    chunks         bigint not null,
    fetch_ms       bigint not null,
    extract_ms     bigint not null,
    chunking_ms    bigint not null,
    embedding_ms   bigint not null,
    index_ms       bigint not null,
    bm25_ms        bigint not null,
    duration_ms    bigint not null,
    extra          text not null,  -- JSON
    error          text not null,
    uuid           uuid not null generated always as (quarry.public_id(id, started_at)) stored
);
create index session_started_at on quarry.session(started_at);

-- What is left of older ones.
create table quarry.session_day(
    day            bigint not null,  -- its first moment, in UTC
    operation      text not null,
    sessions       bigint not null,
    successes      bigint not null,
    total_urls     bigint not null,
    completed_urls bigint not null,
    failed_urls    bigint not null,
    pages_indexed  bigint not null,
    pages_failed   bigint not null,
    chunks         bigint not null,
    fetch_ms       bigint not null,
    extract_ms     bigint not null,
    chunking_ms    bigint not null,
    embedding_ms   bigint not null,
    index_ms       bigint not null,
    bm25_ms        bigint not null,
    duration_ms    bigint not null,
    primary key(day, operation)
);

-- Pages that owners had fetched.
create table quarry.usage(
    owner integer not null,
    day   bigint not null,
    pages bigint not null,
    primary key(owner, day)
) with (fillfactor = 50);

create table quarry.api_key(
    id         bigint primary key,
    owner      text not null,
    name       text not null,
    hint       text not null,
    hash       bytea not null unique,
    created_at bigint not null,
    revoked_at bigint
);

create table quarry.request(
    id         bigint not null,
    at         bigint not null,
    method     text not null,
    path       text not null,
    route      text not null,
    status     integer not null,
    took_us    bigint not null,
    request_id text not null,
    peer       text not null,
    user_agent text not null,
    owner      text not null,
    extra      text not null,  -- JSON
    primary key(id, at)
) partition by range (at);
create table quarry.request_other partition of quarry.request default;
create index request_at on quarry.request(at);

create table quarry.request_day(
    day      bigint not null,
    route    text not null,
    status   integer not null,
    requests bigint not null,
    took_us  bigint not null,
    primary key(day, route, status)
);

-- Hot tables are vacuumed after so many changes, however large they are, and without pauses.
do $$
declare name text;
begin
    foreach name in array array['ready', 'parked', 'lease', 'url_ready', 'url_lane', 'url_delayed', 'url_lease',
                                'change_ready', 'change_lease', 'tally', 'worker', 'lane', 'job_key', 'host'] loop
        execute format('alter table quarry.%I set (autovacuum_vacuum_scale_factor = 0, '
                       'autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0, '
                       'autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 50000)', name);
    end loop;
end $$;
)sql";

}  // namespace quarry::store::postgres
