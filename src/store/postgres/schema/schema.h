// The tables in PostgreSQL, all in the schema `quarry`, and how a database of an older version becomes one
// of this version. The schemas `nuq` and `webhook` are views: they show the tables to people and programs
// that read Firecrawl's queue and metrics with SQL. Nothing in quarry reads them. Every name is written in
// full, so that no search_path matters.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "db/postgres/connection.h"

namespace quarry::store::postgres {

// The tables in PostgreSQL, all in the schema `quarry`, and how a database of an older version becomes one of
// this version. Every name is written in full, so that no search_path matters.

inline constexpr int schema_version = 7;

// The version of the database; 0 if it has no tables of quarry. `unsupported` if it is of a newer version.
Result<std::int64_t> version_of(db::PgConnection& connection);

// Brings the database to the version of this program, step by step, each step one transaction. Of many that
// start at once one does it and the others wait. A newer database is refused in a sentence, and not touched.
Result<void> migrate(db::PgConnection& connection);

// `unsupported` if a transfer into it was interrupted (store/transfer/transfer.h).
Result<void> check_complete(db::PgConnection& connection);

// The schemas `nuq` and `webhook`: what is in the tables, as people and programs know it who read Firecrawl's
// queue and metrics with SQL. They are for reading only; nothing in quarry reads them.

// Makes the views, and what keeps promises to those who LISTEN, if they are not there yet. The tables must be
// there (schema.h). False if a schema of such a name is there and is not ours, as in a database that
// Firecrawl itself uses: then nothing is made.
Result<bool> migrate_views(db::PgConnection& connection);

}  // namespace quarry::store::postgres
