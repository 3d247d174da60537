#include "store/postgres/schema.h"

#include <array>
#include <string>

#include "db/pg_migration.h"
#include "store/postgres/schema_1.h"
#include "store/postgres/schema_1_ids.h"

namespace quarry::store::postgres {

namespace {

const std::array<std::string, schema_version> steps = {
    std::string(schema_1_ids) + schema_1_jobs + schema_1_crawls + schema_1_pages + schema_1_metrics,
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
