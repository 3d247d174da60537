#include "store/postgres/schema.h"

#include <array>
#include <string>

#include "db/pg_migration.h"
#include "store/postgres/schema_1.h"

namespace quarry::store::postgres {

namespace {

// The number that public ids are made with: 64 random bits.
constexpr const char* schema_1_salt = R"sql(
insert into quarry.meta values ('salt', ('x' || left(gen_random_uuid()::text, 8)
                                             || left(gen_random_uuid()::text, 8))::bit(64)::bigint)
    on conflict do nothing;
)sql";

const std::array<std::string, schema_version> steps = {
    std::string(schema_1_jobs) + schema_1_crawls + schema_1_pages + schema_1_metrics + schema_1_salt,
};

db::PgTables tables() {
    return {.schema = "quarry", .what = "quarry's tables", .steps = steps};
}

}  // namespace

Result<std::int64_t> version_of(db::PgConnection& connection) {
    return db::pg_version_of(connection, tables());
}

Result<void> migrate(db::PgConnection& connection) {
    return db::pg_migrate(connection, tables());
}

}  // namespace quarry::store::postgres
