// The schemas `nuq` and `webhook`: what is in the tables, as people and programs know it who read Firecrawl's
// queue and metrics with SQL. They are for reading only; nothing in quarry reads them.
#pragma once

#include "base/result.h"
#include "db/postgres/connection.h"

namespace quarry::store::postgres {

// Makes the views, and what keeps promises to those who LISTEN, if they are not there yet. The tables must be
// there (schema.h). False if a schema of such a name is there and is not ours, as in a database that
// Firecrawl itself uses: then nothing is made.
Result<bool> migrate_views(db::PgConnection& connection);

}  // namespace quarry::store::postgres
