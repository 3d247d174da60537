#include "store/postgres/schema/views.h"

#include <array>
#include <string>

#include "db/postgres/migration.h"
#include "store/postgres/schema/views_2.h"
#include "store/postgres/schema/views_3.h"
#include "store/postgres/schema/views_nuq.h"
#include "store/postgres/schema/views_webhook.h"

namespace quarry::store::postgres {

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
    // Those of a newer program are as good for whoever reads them.
    if (!made && made.error().code != ErrorCode::unsupported) return std::unexpected(made.error());
    return true;
}

}  // namespace quarry::store::postgres
