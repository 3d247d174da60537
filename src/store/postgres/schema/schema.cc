#include "store/postgres/schema/schema.h"

#include <array>
#include <string>

#include <fmt/format.h>

#include "db/postgres/migration.h"
#include "store/postgres/schema/ids.h"
#include "store/postgres/schema/later_versions.h"
#include "store/postgres/schema/version_1.h"

namespace quarry::store::postgres {

namespace {

const std::array<std::string, schema_version> steps = {
    std::string(schema_1_ids) + schema_1_jobs + schema_1_crawls + schema_1_pages + schema_1_metrics,
    schema_2,
    schema_3,
    schema_4,
    schema_5,
    schema_6,
    schema_7,
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

Result<void> check_complete(db::PgConnection& connection) {
    const auto mark = TRY(connection.query("select 1 from quarry.meta where name = 'transfer'"));
    if (mark.empty()) return {};
    return fail(
        ErrorCode::unsupported,
        fmt::format("what was being moved into the {} is not all there: give quarry migrate-store again",
                    connection.place()));
}

}  // namespace quarry::store::postgres
