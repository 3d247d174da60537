#include "store/sqlite/schema.h"

#include <array>
#include <string_view>

#include <fmt/format.h>

namespace quarry::store {

namespace {

// "qrry": how a file says that it is ours.
constexpr std::int64_t application_id = 0x71727279;

// Ids come from one counter for all tables (meta.next_id): a plain rowid is used again once a table is empty,
// and an id in somebody's hands must never mean another thing. Open jobs and ended ones are apart, so that
// starting reads only what is left to do. What is large is apart from what is listed. There is no index on
// the way of a plain job: the order in which jobs run is kept in memory and rebuilt at start.
//
// Times are milliseconds since 1970. States are the numbers of model/job.h and model/frontier.h.
constexpr std::string_view version_1 = R"sql(
CREATE TABLE meta(
    name  TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) WITHOUT ROWID;  -- next_id, epoch, salt

CREATE TABLE kind(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE owner(
    id             INTEGER PRIMARY KEY,
    name           TEXT NOT NULL UNIQUE,
    running_jobs   INTEGER,  -- limits; NULL for the standard ones
    running_groups INTEGER,
    open_jobs      INTEGER
);

CREATE TABLE worker(
    id      INTEGER PRIMARY KEY,
    name    TEXT NOT NULL,
    epoch   INTEGER NOT NULL,  -- of the process that opened the store
    beat_at INTEGER NOT NULL
);

-- Jobs that have not ended.
CREATE TABLE job(
    id             INTEGER PRIMARY KEY,
    kind           INTEGER NOT NULL,
    state          INTEGER NOT NULL,  -- queued or paused; running is a row in `lease`
    priority       INTEGER NOT NULL,
    owner          INTEGER NOT NULL,
    grp            INTEGER,
    attempts       INTEGER NOT NULL,
    max_attempts   INTEGER NOT NULL,
    stalls         INTEGER NOT NULL,
    progress       INTEGER NOT NULL,
    zero_retention INTEGER NOT NULL,
    created_at     INTEGER NOT NULL,
    run_at         INTEGER,
    start_by       INTEGER,
    deadline       INTEGER,
    unique_key     TEXT,
    last_error     TEXT
);
CREATE UNIQUE INDEX job_unique_key ON job(unique_key) WHERE unique_key IS NOT NULL;
CREATE INDEX job_grp ON job(grp) WHERE grp IS NOT NULL;
CREATE TABLE payload(id INTEGER PRIMARY KEY, body TEXT NOT NULL);

-- Jobs that have.
CREATE TABLE done(
    id             INTEGER PRIMARY KEY,
    kind           INTEGER NOT NULL,
    state          INTEGER NOT NULL,
    priority       INTEGER NOT NULL,
    owner          INTEGER NOT NULL,
    grp            INTEGER,
    attempts       INTEGER NOT NULL,
    max_attempts   INTEGER NOT NULL,
    stalls         INTEGER NOT NULL,
    zero_retention INTEGER NOT NULL,
    created_at     INTEGER NOT NULL,
    started_at     INTEGER,
    finished_at    INTEGER NOT NULL,
    deadline       INTEGER,
    token          INTEGER,  -- of the lease that ended it: the same outcome sent again is recognised
    unique_key     TEXT,
    last_error     TEXT,
    result         TEXT
);
CREATE INDEX done_grp ON done(grp) WHERE grp IS NOT NULL;

-- Who works on what: jobs and URLs alike. A row here is what "running" means.
CREATE TABLE lease(
    id        INTEGER PRIMARY KEY,
    token     INTEGER NOT NULL,
    worker    INTEGER NOT NULL,
    leased_at INTEGER NOT NULL
);

CREATE TABLE grp(
    id             INTEGER PRIMARY KEY,
    kind           TEXT NOT NULL,
    name           TEXT NOT NULL,
    options        TEXT NOT NULL,
    collection     TEXT NOT NULL,
    site           TEXT NOT NULL,
    owner          INTEGER NOT NULL,
    state          INTEGER NOT NULL,
    priority       INTEGER NOT NULL,
    company        INTEGER NOT NULL,
    page_limit     INTEGER NOT NULL,
    url_limit      INTEGER NOT NULL,
    index_pages    INTEGER NOT NULL,
    zero_retention INTEGER NOT NULL,
    closing_jobs   TEXT NOT NULL,     -- JSON, with the notice; emptied of those that were added
    roots          TEXT NOT NULL,     -- JSON
    error          TEXT NOT NULL,
    created_at     INTEGER NOT NULL,
    started_at     INTEGER,
    finished_at    INTEGER,
    last_id        INTEGER,           -- no row of the group has a greater id; set when it is over
    jobs_open      INTEGER NOT NULL,
    discovered     INTEGER NOT NULL,
    queued         INTEGER NOT NULL,
    running        INTEGER NOT NULL,
    completed      INTEGER NOT NULL,
    failed         INTEGER NOT NULL,
    skipped        INTEGER NOT NULL,
    unchanged      INTEGER NOT NULL,
    duplicates     INTEGER NOT NULL,
    gone           INTEGER NOT NULL,
    not_admitted   INTEGER NOT NULL,
    removed        INTEGER NOT NULL,
    bytes          INTEGER NOT NULL
);

CREATE TABLE host(
    id          INTEGER PRIMARY KEY,
    name        TEXT NOT NULL UNIQUE,
    connections INTEGER,  -- NULL: nothing is known of the host yet
    delay       INTEGER,
    not_before  INTEGER
);

-- The URLs of crawls. They stay when they are done, since they are how a crawl knows what it has seen.
CREATE TABLE frontier(
    id          INTEGER PRIMARY KEY,
    grp         INTEGER NOT NULL,
    host        INTEGER NOT NULL,
    key         BLOB NOT NULL,
    state       INTEGER NOT NULL,  -- of UrlState, except running, which is a row in `lease`
    run_at      INTEGER,           -- set while a queued URL waits for its time
    depth       INTEGER NOT NULL,
    redirects   INTEGER NOT NULL,
    source      INTEGER NOT NULL,
    priority    INTEGER NOT NULL,
    attempts    INTEGER NOT NULL,
    stalls      INTEGER NOT NULL,
    skipped     INTEGER NOT NULL,
    status      INTEGER NOT NULL,
    content     INTEGER,
    finished_at INTEGER,
    token       INTEGER,           -- of the lease that ended it
    url         TEXT NOT NULL,
    final_url   TEXT,
    note        TEXT
);
CREATE UNIQUE INDEX frontier_key ON frontier(grp, key);
CREATE INDEX frontier_ready ON frontier(grp, host, priority, id) WHERE state = 0 AND run_at IS NULL;
CREATE INDEX frontier_delayed ON frontier(run_at) WHERE state = 0 AND run_at IS NOT NULL;

-- Keys that a crawl knows as another name of one of its URLs (rel=canonical): never fetched.
CREATE TABLE alias(
    grp INTEGER NOT NULL,
    key BLOB NOT NULL,
    url INTEGER NOT NULL,  -- in the frontier
    PRIMARY KEY(grp, key)
) WITHOUT ROWID;

-- What a crawl brought, in the order in which it came: sequences are ids too.
CREATE TABLE result(
    grp      INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    url      INTEGER NOT NULL,  -- in the frontier
    page     INTEGER NOT NULL,
    content  INTEGER NOT NULL,
    PRIMARY KEY(grp, sequence)
) WITHOUT ROWID;
CREATE INDEX result_content ON result(content);

CREATE TABLE page(
    id                INTEGER PRIMARY KEY,
    collection        TEXT NOT NULL,     -- "#17" for a crawl 17 without retention: its pages are its own
    key               BLOB NOT NULL,
    site              TEXT NOT NULL,
    content           INTEGER NOT NULL,
    outbox            INTEGER,           -- its last row there; NULL if it never had one
    version           INTEGER NOT NULL,  -- counts changes of the words
    seen_by           INTEGER NOT NULL,  -- the last crawl that met it
    missed            INTEGER NOT NULL,  -- complete crawls since then
    status            INTEGER NOT NULL,
    content_hash      INTEGER NOT NULL,
    simhash           INTEGER NOT NULL,
    body_bytes        INTEGER NOT NULL,
    fetched_at        INTEGER NOT NULL,
    changed_at        INTEGER NOT NULL,
    near_duplicate_of BLOB,
    url               TEXT NOT NULL,
    final_url         TEXT NOT NULL,
    etag              TEXT NOT NULL,
    last_modified     TEXT NOT NULL,
    content_type      TEXT NOT NULL,
    title             TEXT NOT NULL,
    language          TEXT NOT NULL
);
CREATE UNIQUE INDEX page_key ON page(collection, key);
CREATE INDEX page_site ON page(site);  -- without seen_by, so that a page met again touches no index

-- The words, compressed. A version lives as long as its page has it or a crawl brought it.
CREATE TABLE content(
    id       INTEGER PRIMARY KEY,
    page     INTEGER NOT NULL,
    details  BLOB NOT NULL,
    markdown BLOB NOT NULL,
    html     BLOB
);

-- Changes of pages, in order, waiting to be indexed: the embedding queue.
CREATE TABLE outbox(
    id         INTEGER PRIMARY KEY,
    page       INTEGER NOT NULL,
    content    INTEGER,           -- NULL: the page was removed
    version    INTEGER NOT NULL,
    collection TEXT NOT NULL,
    grp        INTEGER,
    state      INTEGER NOT NULL,
    priority   INTEGER NOT NULL,
    attempts   INTEGER NOT NULL,
    run_at     INTEGER,
    created_at INTEGER NOT NULL,
    finished_at INTEGER,
    url        TEXT NOT NULL,
    last_error TEXT
);
CREATE INDEX outbox_open ON outbox(state, priority, id) WHERE state IN (0, 1);

CREATE TABLE schedule(
    name    TEXT PRIMARY KEY,
    cron    TEXT NOT NULL,
    job     TEXT NOT NULL,  -- JSON
    grp     TEXT,           -- JSON
    next_at INTEGER NOT NULL
) WITHOUT ROWID;
)sql";

// The outbox is leased, and there are collections and metrics. What is counted of the outbox is kept beside
// it, since a million rows are not counted ten times a second. Times spent are microseconds; they are NULL
// until there are any.
constexpr std::string_view version_2 = R"sql(
ALTER TABLE frontier ADD COLUMN fetch_us INTEGER;
ALTER TABLE frontier ADD COLUMN extract_us INTEGER;

ALTER TABLE outbox ADD COLUMN stalls INTEGER NOT NULL DEFAULT 0;
ALTER TABLE outbox ADD COLUMN snoozes INTEGER NOT NULL DEFAULT 0;  -- in a row
ALTER TABLE outbox ADD COLUMN token INTEGER;                       -- of the lease that ended it
ALTER TABLE outbox ADD COLUMN chunk_us INTEGER;
ALTER TABLE outbox ADD COLUMN embed_us INTEGER;
ALTER TABLE outbox ADD COLUMN index_us INTEGER;
ALTER TABLE outbox ADD COLUMN chunks INTEGER;
ALTER TABLE outbox ADD COLUMN note TEXT;
DROP INDEX outbox_open;
CREATE INDEX outbox_ready ON outbox(collection, priority, id) WHERE state = 0 AND run_at IS NULL;
CREATE INDEX outbox_delayed ON outbox(run_at, collection, grp) WHERE state = 0 AND run_at IS NOT NULL;
CREATE INDEX outbox_ended ON outbox(finished_at) WHERE state IN (2, 4);  -- failed ones have no age

CREATE TABLE outbox_count(
    grp        INTEGER NOT NULL,  -- 0 for none
    collection TEXT NOT NULL,
    queued     INTEGER NOT NULL,  -- also those that are leased
    completed  INTEGER NOT NULL,
    failed     INTEGER NOT NULL,
    cancelled  INTEGER NOT NULL,
    paused     INTEGER NOT NULL,
    last_error TEXT NOT NULL,
    PRIMARY KEY(grp, collection)
) WITHOUT ROWID;
INSERT INTO outbox_count
    SELECT coalesce(grp, 0), collection, sum(state = 0), sum(state = 2), sum(state = 3), sum(state = 4),
           sum(state = 5), ''
    FROM outbox GROUP BY 1, 2;

ALTER TABLE grp ADD COLUMN indexed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE grp ADD COLUMN chunks INTEGER NOT NULL DEFAULT 0;
ALTER TABLE grp ADD COLUMN fetch_us INTEGER NOT NULL DEFAULT 0;
ALTER TABLE grp ADD COLUMN extract_us INTEGER NOT NULL DEFAULT 0;
ALTER TABLE grp ADD COLUMN chunk_us INTEGER NOT NULL DEFAULT 0;
ALTER TABLE grp ADD COLUMN embed_us INTEGER NOT NULL DEFAULT 0;
ALTER TABLE grp ADD COLUMN index_us INTEGER NOT NULL DEFAULT 0;

-- Who has a page, and which of its words: to forget it, and to know when words belong to nobody.
DROP INDEX result_content;
CREATE INDEX result_page ON result(page, content);

CREATE TABLE collection(
    name       TEXT PRIMARY KEY,
    provider   TEXT NOT NULL,
    model      TEXT NOT NULL,
    dimensions INTEGER NOT NULL,
    version    TEXT NOT NULL,
    created_at INTEGER NOT NULL
) WITHOUT ROWID;

-- Operations other than crawls, whose sessions are read from grp.
CREATE TABLE session(
    id             INTEGER PRIMARY KEY,
    grp            INTEGER,
    job            INTEGER,
    operation      TEXT NOT NULL,
    base_url       TEXT NOT NULL,
    owner          TEXT NOT NULL,
    started_at     INTEGER NOT NULL,
    completed_at   INTEGER,
    success        INTEGER NOT NULL,
    auto_index     INTEGER NOT NULL,
    total_urls     INTEGER NOT NULL,
    completed_urls INTEGER NOT NULL,
    failed_urls    INTEGER NOT NULL,
    pages_indexed  INTEGER NOT NULL,
    pages_failed   INTEGER NOT NULL,
    chunks         INTEGER NOT NULL,
    fetch_ms       INTEGER NOT NULL,
    extract_ms     INTEGER NOT NULL,
    chunking_ms    INTEGER NOT NULL,
    embedding_ms   INTEGER NOT NULL,
    index_ms       INTEGER NOT NULL,
    bm25_ms        INTEGER NOT NULL,
    duration_ms    INTEGER NOT NULL,
    extra          TEXT NOT NULL,  -- JSON
    error          TEXT NOT NULL
);
CREATE INDEX session_started_at ON session(started_at);

-- What is left of older ones.
CREATE TABLE session_day(
    day            INTEGER NOT NULL,  -- its first moment, in UTC
    operation      TEXT NOT NULL,
    sessions       INTEGER NOT NULL,
    successes      INTEGER NOT NULL,
    total_urls     INTEGER NOT NULL,
    completed_urls INTEGER NOT NULL,
    failed_urls    INTEGER NOT NULL,
    pages_indexed  INTEGER NOT NULL,
    pages_failed   INTEGER NOT NULL,
    chunks         INTEGER NOT NULL,
    fetch_ms       INTEGER NOT NULL,
    extract_ms     INTEGER NOT NULL,
    chunking_ms    INTEGER NOT NULL,
    embedding_ms   INTEGER NOT NULL,
    index_ms       INTEGER NOT NULL,
    bm25_ms        INTEGER NOT NULL,
    duration_ms    INTEGER NOT NULL,
    PRIMARY KEY(day, operation)
) WITHOUT ROWID;
)sql";

// Keys, what is asked of a server, and what each owner had fetched. A crawl can be begun once only under a
// name that its client gives it.
constexpr std::string_view version_3 = R"sql(
ALTER TABLE frontier ADD COLUMN error INTEGER;  -- of ErrorCode; NULL if it did not fail, or nobody knows why

ALTER TABLE grp ADD COLUMN request_key TEXT;
CREATE UNIQUE INDEX grp_request_key ON grp(owner, request_key) WHERE request_key IS NOT NULL;

ALTER TABLE owner ADD COLUMN requests_per_minute INTEGER;
ALTER TABLE owner ADD COLUMN pages_per_month INTEGER;

CREATE TABLE usage(
    owner INTEGER NOT NULL,
    day   INTEGER NOT NULL,  -- its first moment, in UTC
    pages INTEGER NOT NULL,
    PRIMARY KEY(owner, day)
) WITHOUT ROWID;

CREATE TABLE api_key(
    id         INTEGER PRIMARY KEY,
    owner      TEXT NOT NULL,
    name       TEXT NOT NULL,
    hint       TEXT NOT NULL,
    hash       BLOB NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
);

CREATE TABLE request(
    id         INTEGER PRIMARY KEY,
    at         INTEGER NOT NULL,
    method     TEXT NOT NULL,
    path       TEXT NOT NULL,
    route      TEXT NOT NULL,
    status     INTEGER NOT NULL,
    took_us    INTEGER NOT NULL,
    request_id TEXT NOT NULL,
    peer       TEXT NOT NULL,
    user_agent TEXT NOT NULL,
    owner      TEXT NOT NULL,
    extra      TEXT NOT NULL  -- JSON
);
CREATE INDEX request_at ON request(at);

-- What is left of older ones.
CREATE TABLE request_day(
    day      INTEGER NOT NULL,
    route    TEXT NOT NULL,
    status   INTEGER NOT NULL,
    requests INTEGER NOT NULL,
    took_us  INTEGER NOT NULL,
    PRIMARY KEY(day, route, status)
) WITHOUT ROWID;
)sql";

// Pictures of pages, which live no longer than what a crawl brought. The last column, so that who reads the
// words does not read them too.
constexpr std::string_view version_4 = R"sql(
ALTER TABLE content ADD COLUMN media BLOB;
)sql";

// How often in a row something was put off, or given back before it began: nothing goes round for ever.
constexpr std::string_view version_5 = R"sql(
ALTER TABLE job ADD COLUMN snoozes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE frontier ADD COLUMN snoozes INTEGER NOT NULL DEFAULT 0;
)sql";

// How long a group is kept, as promised when it began, and how long its pages. NULL and 0: as it was before,
// when everything had the time of all crawls, and pages stayed. And the stages of indexing, kept apart from
// the embedding queue, which forgets sooner. And how much an owner may keep.
constexpr std::string_view version_6 = R"sql(
ALTER TABLE owner ADD COLUMN stored_bytes INTEGER NOT NULL DEFAULT 0;

ALTER TABLE grp ADD COLUMN keep_ms INTEGER;         -- after its end, if it brought a page
ALTER TABLE grp ADD COLUMN keep_failed_ms INTEGER;  -- if it brought none
ALTER TABLE grp ADD COLUMN page_keeping INTEGER NOT NULL DEFAULT 0;
ALTER TABLE grp ADD COLUMN words_us INTEGER NOT NULL DEFAULT 0;
ALTER TABLE grp ADD COLUMN request_id TEXT NOT NULL DEFAULT '';
CREATE INDEX grp_expires ON grp(finished_at + iif(completed > 0, keep_ms, keep_failed_ms))
    WHERE finished_at IS NOT NULL AND keep_ms IS NOT NULL;

ALTER TABLE page ADD COLUMN keeping INTEGER NOT NULL DEFAULT 0;  -- the smallest of those that met it; 0 once indexed
CREATE INDEX page_cached ON page(fetched_at) WHERE keeping = 1;

ALTER TABLE outbox ADD COLUMN words_us INTEGER;

CREATE TABLE operation(
    id             INTEGER PRIMARY KEY,
    at             INTEGER NOT NULL,
    job            INTEGER NOT NULL,  -- in the outbox
    job_created_at INTEGER NOT NULL,
    grp            INTEGER,
    grp_created_at INTEGER,
    collection     TEXT NOT NULL,
    url            TEXT NOT NULL,
    request_id     TEXT NOT NULL,
    error          TEXT,              -- NULL: it went well
    chunk_us       INTEGER NOT NULL,
    embed_us       INTEGER NOT NULL,
    index_us       INTEGER NOT NULL,
    words_us       INTEGER NOT NULL,
    chunks         INTEGER NOT NULL,
    note           TEXT NOT NULL
);
CREATE INDEX operation_at ON operation(at);

-- What is left of older ones.
CREATE TABLE operation_day(
    day        INTEGER NOT NULL,
    collection TEXT NOT NULL,
    pages      INTEGER NOT NULL,
    failed     INTEGER NOT NULL,
    chunks     INTEGER NOT NULL,
    chunk_us   INTEGER NOT NULL,
    embed_us   INTEGER NOT NULL,
    index_us   INTEGER NOT NULL,
    words_us   INTEGER NOT NULL,
    PRIMARY KEY(day, collection)
) WITHOUT ROWID;
)sql";

constexpr std::array steps = {version_1, version_2, version_3, version_4, version_5, version_6};
static_assert(steps.size() == schema_version);

}  // namespace

Result<std::int64_t> version_of(db::Connection& connection) {
    const std::int64_t version = TRY(connection.integer("PRAGMA user_version")).value_or(0);
    const std::int64_t owner = TRY(connection.integer("PRAGMA application_id")).value_or(0);
    const std::int64_t tables = TRY(connection.integer("SELECT count(*) FROM sqlite_master")).value_or(0);
    if (owner != application_id && (owner != 0 || tables != 0)) {
        return fail(ErrorCode::corrupt, "this file is a database of another program");
    }
    if (version > schema_version) {
        return fail(ErrorCode::unsupported,
                    fmt::format("the database has version {}, this program knows versions up to {}: use a "
                                "newer quarry, or another data folder (--data)",
                                version, schema_version));
    }
    return version;
}

Result<void> check_complete(db::Connection& connection) {
    if (!TRY(connection.integer("SELECT 1 FROM meta WHERE name = 'transfer'"))) return {};
    return fail(ErrorCode::unsupported,
                "what was being moved into this database is not all there: give quarry migrate-store again");
}

Result<void> migrate(db::Connection& connection) {
    const std::int64_t version = TRY(version_of(connection));
    for (std::int64_t next = version; next < schema_version; ++next) {
        db::Transaction transaction = TRY(db::Transaction::begin(connection));
        TRY(connection.execute(steps[static_cast<std::size_t>(next)]));
        TRY(connection.execute(
            fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {};", application_id, next + 1)));
        TRY(transaction.commit());
    }
    return {};
}

}  // namespace quarry::store
