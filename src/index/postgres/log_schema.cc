#include "index/postgres/log_schema.h"

#include <array>
#include <string>

#include "db/postgres/migration.h"

namespace quarry::index {

namespace {

// What the newest version of a page has, and where in the order of changes that was. A page's texts are in
// `chunk`, so that its own row stays small: it is written twice a change.
const std::array<std::string, 1> steps = {R"sql(
insert into quarry.meta values ('index_identity', ('x' || left(gen_random_uuid()::text, 8)
                                                       || left(gen_random_uuid()::text, 8))::bit(64)::bigint);

create table quarry.index_collection(
    id         bigint generated always as identity primary key,
    name       text unique,                  -- null: dropped, its rows are being removed
    sequence   bigint not null default 0,    -- of its last change
    generation bigint not null default 0,    -- changes with the embedder
    provider   text not null default '',
    model      text not null default '',
    version    text not null default '',
    dimensions bigint not null default 0     -- 0 until there is a vector
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

create table quarry.index_page(
    collection   bigint not null,
    page         bigint not null,
    version      bigint not null,            -- of the outbox: what is older changes nothing
    sequence     bigint not null,            -- 0 only within the transaction that writes it
    generation   bigint not null,            -- of the collection when its vectors were made
    is_removed   boolean not null,           -- only its version is remembered
    chunks       bigint not null,
    fetched_at   bigint not null,
    language     text not null,
    host         text not null,
    path         text not null,
    status       bigint not null,
    content_hash bigint not null,
    id           text not null,
    url          text not null,
    title        text not null,
    description  text not null,
    primary key(collection, page)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
create index index_page_sequence on quarry.index_page(collection, sequence);

create table quarry.chunk(
    collection bigint not null,
    page       bigint not null,
    number     bigint not null,              -- the nth of its page, from 0
    begin_at   bigint not null,              -- where in the page's markdown, in bytes
    end_at     bigint not null,
    length     bigint not null,              -- in terms
    headings   jsonb not null,               -- from the page's title downwards
    text       text not null,
    terms      bytea not null,               -- what words find it by, packed
    vector     bytea,                        -- of a service: a float's scale, and a byte per dimension
    primary key(collection, page, number)
) with (autovacuum_vacuum_scale_factor = 0.05);
)sql"};

db::PgTables tables() {
    return {
        .schema = "quarry", .version = "index_version", .what = "the search index's tables", .steps = steps};
}

}  // namespace

Result<void> migrate_log(db::PgConnection& connection) {
    return db::pg_migrate(connection, tables());
}

Result<std::int64_t> log_identity(db::PgConnection& connection) {
    const auto rows = TRY(connection.query("select value from quarry.meta where name = 'index_identity'"));
    return rows.empty() ? 0 : rows.integer(0, 0);
}

}  // namespace quarry::index
