#include "db/postgres/migration.h"

#include <fmt/format.h>

namespace quarry::db {

namespace {

// "quarry". A process that migrates holds this advisory lock until the end of its transaction. A pooler
// between quarry and the server respects the lock of a transaction, but not that of a session.
constexpr std::int64_t migration_lock = 0x717561727279;

Result<void> ensure_meta(PgConnection& connection, const PgTables& tables) {
    return connection.execute(
        fmt::format("create schema if not exists {0};"
                    "create table if not exists {0}.meta(name text primary key, value bigint not null)",
                    tables.schema));
}

// Runs all steps that are left in one transaction: other processes see the old version or the new one, and
// nothing in between.
Result<void> take_steps(PgConnection& connection, const PgTables& tables) {
    PgTransaction transaction = TRY(PgTransaction::begin(connection));
    TRY(connection.query("select pg_advisory_xact_lock($1)", PgValues(migration_lock)));
    const std::int64_t version = TRY(pg_version_of(connection, tables));
    if (version == std::ssize(tables.steps)) return {};
    if (version == 0) TRY(ensure_meta(connection, tables));
    for (const std::string& step : tables.steps.subspan(static_cast<std::size_t>(version)))
        TRY(connection.execute(step));
    TRY(connection.query(fmt::format("insert into {}.meta values ($1, $2) on conflict (name) do update set "
                                     "value = excluded.value",
                                     tables.schema),
                         PgValues(tables.version, static_cast<std::int64_t>(tables.steps.size()))));
    return transaction.commit();
}

}  // namespace

Result<std::int64_t> pg_version_of(PgConnection& connection, const PgTables& tables) {
    const std::string meta = tables.schema + ".meta";
    // This does not use to_regclass. A session that has looked for the schema in vain believes that it is not
    // there until the session next locks a table, even if it has waited for the process that made the schema.
    const auto there =
        TRY(connection.query("select 1 from pg_class join pg_namespace on pg_namespace.oid = relnamespace "
                             "where nspname = $1 and relname = 'meta'",
                             PgValues(tables.schema)));
    if (there.empty()) return 0;
    const auto rows =
        TRY(connection.query("select value from " + meta + " where name = $1", PgValues(tables.version)));
    const std::int64_t version = rows.empty() ? 0 : rows.integer(0, 0);
    if (version <= std::ssize(tables.steps)) return version;
    return fail(ErrorCode::unsupported,
                fmt::format("the {} has version {} of {}, this program knows versions up to {}: use a newer "
                            "quarry, or another database",
                            connection.place(), version, tables.what, tables.steps.size()));
}

Result<void> pg_migrate(PgConnection& connection, const PgTables& tables) {
    if (TRY(pg_version_of(connection, tables)) == std::ssize(tables.steps)) return {};
    return take_steps(connection, tables);
}

}  // namespace quarry::db
