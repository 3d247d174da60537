// The tables in PostgreSQL that the search index is written to. They are in the schema `quarry` beside the
// store's, with a version of their own: a store elsewhere may use them too.
#include "index/postgres/index_log.h"

#include <array>
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "base/result.h"
#include "db/postgres/connection.h"
#include "db/postgres/migration.h"
#include "index/index.h"
#include "index/postgres/log_rows.h"

namespace quarry::index {

// As db::pg_migrate.
Result<void> migrate_log(db::PgConnection& connection);

// The number that tells this database from others: replicas remember it.
Result<std::int64_t> log_identity(db::PgConnection& connection);

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

namespace {

constexpr int connections = 4;
constexpr int max_attempts = 10;

constexpr const char* notify = "notify quarry_index";
// Plans that do not depend on how many values there are: those for the values, made when a table has grown
// and was not analysed since, read the whole collection (500 ms instead of 18 at 200,000 pages).
constexpr const char* planned_once = "set local plan_cache_mode = force_generic_plan";
constexpr const char* one_state =
    "set transaction isolation level repeatable read, read only;"
    "set local plan_cache_mode = force_generic_plan";

constexpr db::PgStatement list_statement = {
    "index_collection_list",
    "select id, name, sequence from quarry.index_collection where name is not null order by name"};

constexpr db::PgStatement drop_statement = {"index_collection_drop",
                                            "update quarry.index_collection set name = null where name = $1"};

// Vectors of another embedder stay where they are, but belong to a generation that has passed.
constexpr db::PgStatement set_embedder_statement = {"index_collection_embedder", R"sql(
update quarry.index_collection
    set provider = $2, model = $3, version = $4, dimensions = $5, generation = generation + $6,
        sequence = sequence + 1
    where id = $1
)sql"};
constexpr db::PgStatement lock_statement = {
    "index_collection_alone", "select from quarry.index_collection where id = $1 for no key update"};

constexpr db::PgStatement source_statement = {"index_source",
                                              "select value from quarry.meta where name = 'index_source'"};
constexpr db::PgStatement set_source_statement = {
    "index_source_set",
    "insert into quarry.meta values ('index_source', $1) on conflict (name) do update "
    "set value = excluded.value"};

constexpr db::PgStatement facts_statement = {"index_collection_facts", R"sql(
select count(*) filter (where not is_removed), coalesce(sum(chunks), 0)::bigint
from quarry.index_page where collection = $1
)sql"};
constexpr db::PgStatement vectors_statement = {"index_collection_vectors", R"sql(
select count(*) from quarry.chunk
    join quarry.index_page as p on p.collection = chunk.collection and p.page = chunk.page
where chunk.collection = $1 and p.generation = $2 and vector is not null
)sql"};

}  // namespace

Result<std::unique_ptr<IndexLog>> IndexLog::open(const db::PgConfig& database) {
    std::unique_ptr<IndexLog> log(new IndexLog(database, connections));
    {
        auto connection = TRY(log->pool_.borrow());
        TRY(migrate_log(*connection));
        const std::int64_t identity = TRY(log_identity(*connection));
        log->identity_ = fmt::format("{:016x}", static_cast<std::uint64_t>(identity));
    }
    // What was left when somebody who dropped a collection was interrupted.
    TRY(log->sweep());
    return log;
}

Result<void> IndexLog::attempt(const Work& work) {
    for (int attempt = 1;; ++attempt) {
        auto connection = TRY(pool_.borrow());
        const auto done = work(*connection);
        if (done) return {};
        const db::PgFailure failure = connection->failure();
        // After a restart of the server each connection of the pool is found to be lost once.
        const bool may_succeed = failure == db::PgFailure::retry
                                     ? attempt < max_attempts
                                     : failure == db::PgFailure::lost && attempt <= connections;
        if (!may_succeed) return done;
    }
}

Result<void> IndexLog::change(const Work& work) {
    return in_transaction(planned_once, work);
}

Result<void> IndexLog::in_transaction(const std::string& settings, const Work& work) {
    return attempt([&](db::PgConnection& connection) -> Result<void> {
        db::PgTransaction transaction = TRY(db::PgTransaction::begin(connection, settings));
        TRY(work(connection));
        return transaction.commit();
    });
}

Result<void> IndexLog::replace(const std::string& collection, std::vector<IndexedPage> pages) {
    std::vector<LogPage> rows;
    for (IndexedPage& page : pages) rows.push_back({.page = std::move(page)});
    rows = newest_of(std::move(rows));
    return change([&](db::PgConnection& connection) -> Result<void> {
        const LogCollection found = TRY(ensure_collection(connection, collection));
        TRY(write_pages(connection, found, rows));
        return connection.execute(notify);
    });
}

Result<void> IndexLog::remove(const std::string& collection, std::span<const RemovedPage> pages) {
    std::vector<LogPage> rows;
    for (const RemovedPage& page : pages) {
        rows.push_back({.page = {.page = page.page, .version = page.version}, .is_removed = true});
    }
    rows = newest_of(std::move(rows));
    return change([&](db::PgConnection& connection) -> Result<void> {
        const auto found = TRY(find_collection(connection, collection));
        if (!found) return {};
        TRY(write_pages(connection, *found, rows));
        return connection.execute(notify);
    });
}

Result<bool> IndexLog::has_embedder(const std::string& collection, const EmbedderFacts& facts) {
    bool is_so = false;
    const Work ask = [&](db::PgConnection& connection) -> Result<void> {
        const auto found = TRY(read_collection(connection, collection));
        is_so = found && found->embedder == facts;
        return {};
    };
    TRY(attempt(ask));
    return is_so;
}

Result<std::uint64_t> IndexLog::source() {
    std::int64_t source = 0;
    const Work ask = [&](db::PgConnection& connection) -> Result<void> {
        const auto rows = TRY(connection.run(source_statement));
        source = rows.empty() ? 0 : rows.integer(0, 0);
        return {};
    };
    TRY(attempt(ask));
    return static_cast<std::uint64_t>(source);
}

Result<void> IndexLog::set_source(std::uint64_t salt) {
    return attempt([&](db::PgConnection& connection) -> Result<void> {
        TRY(connection.run(set_source_statement, db::PgValues(static_cast<std::int64_t>(salt))));
        return {};
    });
}

Result<void> IndexLog::set_embedder(const std::string& collection, const EmbedderFacts& facts) {
    // Asked before every few pages, and nearly always as it should be.
    if (TRY(has_embedder(collection, facts))) return {};
    return change([&](db::PgConnection& connection) -> Result<void> {
        LogCollection found = TRY(ensure_collection(connection, collection));
        TRY(connection.run(lock_statement, db::PgValues(found.id)));
        found = TRY(ensure_collection(connection, collection));  // as it is now that nobody changes it
        if (found.embedder == facts) return {};
        const bool is_same = is_same_embedder(found.embedder, facts);
        const int dimensions =
            is_same && facts.dimensions == 0 ? found.embedder.dimensions : facts.dimensions;
        TRY(connection.run(set_embedder_statement, db::PgValues(found.id, facts.provider, facts.model,
                                                                facts.version, dimensions, is_same ? 0 : 1)));
        return connection.execute(notify);
    });
}

Result<void> IndexLog::remove_collection(const std::string& collection) {
    const Work drop = [&](db::PgConnection& connection) -> Result<void> {
        const auto dropped = TRY(connection.run(drop_statement, db::PgValues(collection)));
        if (dropped.affected() == 0) return {};
        return connection.execute(notify);
    };
    TRY(change(drop));
    // It is gone already. What cannot be swept now is swept later.
    (void)sweep();
    return {};
}

// In small steps, so that nothing is locked for long.
Result<void> IndexLog::sweep() {
    auto connection = TRY(pool_.borrow());
    const auto dropped =
        TRY(connection->query("select id from quarry.index_collection where name is null order by id"));
    for (int at = 0; at < dropped.size(); ++at) {
        const db::PgValues id(dropped.integer(at, 0));
        for (const char* table : {"chunk", "index_page"}) {
            const std::string remove_some = fmt::format(
                "delete from quarry.{0} where ctid = any(array(select ctid from quarry.{0} "
                "where collection = $1 limit 5000))",
                table);
            while (TRY(connection->query(remove_some, id)).affected() > 0) {
            }
        }
        TRY(connection->query("delete from quarry.index_collection where id = $1", id));
    }
    return {};
}

Result<std::vector<IndexLog::CollectionPosition>> IndexLog::collections() {
    std::vector<CollectionPosition> states;
    const Work list = [&](db::PgConnection& connection) -> Result<void> {
        const auto rows = TRY(connection.run(list_statement));
        states.clear();
        for (int at = 0; at < rows.size(); ++at) {
            states.push_back({.id = rows.integer(at, 0),
                              .name = std::string(rows.text(at, 1)),
                              .sequence = rows.integer(at, 2)});
        }
        return {};
    };
    TRY(attempt(list));
    return states;
}

Result<IndexLog::Batch> IndexLog::read(std::int64_t collection, std::int64_t after, int max_pages) {
    Batch batch;
    const Work read = [&](db::PgConnection& connection) -> Result<void> {
        const auto found = TRY(read_collection(connection, collection));
        batch = {};
        if (found) batch = TRY(read_pages(connection, *found, after, max_pages));
        return {};
    };
    TRY(in_transaction(one_state, read));
    return batch;
}

Result<IndexFacts> IndexLog::facts(const std::string& collection) {
    IndexFacts facts;
    const Work count = [&](db::PgConnection& connection) -> Result<void> {
        const auto found = TRY(read_collection(connection, collection));
        if (!found) return {};
        const auto pages = TRY(connection.run(facts_statement, db::PgValues(found->id)));
        const auto vectors =
            TRY(connection.run(vectors_statement, db::PgValues(found->id, found->generation)));
        facts = {.pages = pages.integer(0, 0),
                 .chunks = pages.integer(0, 1),
                 .vectors = vectors.integer(0, 0),
                 .embedder = found->embedder};
        return {};
    };
    TRY(in_transaction({}, count));
    return facts;
}

}  // namespace quarry::index
