#include "store/postgres/schema.h"

#include <array>
#include <initializer_list>
#include <random>
#include <string>

#include <fmt/format.h>

#include "store/postgres/schema_1.h"

namespace quarry::store::postgres {

namespace {

// "quarry": whoever migrates holds this advisory lock.
constexpr std::int64_t migration_lock = 0x717561727279;

// What every version has: where the version is, and the number that public ids are made with.
constexpr const char* version_0 = R"sql(
create schema if not exists quarry;
create table if not exists quarry.meta(name text primary key, value bigint not null);
)sql";

const std::array<std::string, schema_version> steps = {
    std::string(schema_1_jobs) + schema_1_crawls + schema_1_pages + schema_1_metrics,
};

std::int64_t random_salt() {
    std::random_device random;
    return static_cast<std::int64_t>((std::uint64_t{random()} << 32) | random());
}

Result<void> take_steps(db::PgConnection& connection) {
    std::int64_t version = TRY(version_of(connection));
    if (version == schema_version) return {};
    if (version == 0) {
        TRY(connection.execute(version_0));
        TRY(connection.query("insert into quarry.meta values ('salt', $1) on conflict do nothing",
                             db::PgValues(random_salt())));
    }
    for (; version < schema_version; ++version) {
        db::PgTransaction transaction = TRY(db::PgTransaction::begin(connection));
        TRY(connection.execute(steps[static_cast<std::size_t>(version)]));
        TRY(connection.query(
            "insert into quarry.meta values ('version', $1) on conflict (name) do update set "
            "value = excluded.value",
            db::PgValues(version + 1)));
        TRY(transaction.commit());
    }
    return {};
}

}  // namespace

Result<std::int64_t> version_of(db::PgConnection& connection) {
    const auto there = TRY(connection.query("select to_regclass('quarry.meta') is not null"));
    if (!there.boolean(0, 0)) return 0;
    const auto rows = TRY(connection.query("select value from quarry.meta where name = 'version'"));
    const std::int64_t version = rows.empty() ? 0 : rows.integer(0, 0);
    if (version > schema_version) {
        return fail(
            ErrorCode::unsupported,
            fmt::format("the {} has version {} of quarry's tables, this program knows versions up to {}: "
                        "use a newer quarry, or another database",
                        connection.place(), version, schema_version));
    }
    return version;
}

Result<void> migrate(db::PgConnection& connection) {
    if (TRY(version_of(connection)) == schema_version) return {};
    TRY(connection.query("select pg_advisory_lock($1)", db::PgValues(migration_lock)));
    auto done = take_steps(connection);
    TRY(connection.query("select pg_advisory_unlock($1)", db::PgValues(migration_lock)));
    return done;
}

}  // namespace quarry::store::postgres
