// The store in PostgreSQL, for many processes on many hosts, and a reader of it.
#pragma once

#include <memory>

#include "base/clock.h"
#include "db/postgres/connection.h"
#include "store/reader.h"
#include "store/store.h"

namespace quarry::store {

// The store in PostgreSQL: for many processes on many hosts.

struct PostgresConfig {
    db::PgConfig database{};
    StoreLimits limits{};
    int connections = 8;           // for calls; a few more are kept for other purposes
    bool views = true;             // makes those that people read with SQL (views.h)
    const Clock* clock = nullptr;  // of a test, outlives the store; nullptr: the server's
};

// Makes the tables if there are none. Fails with `unavailable`, or with `unsupported` if the tables are of a
// newer version. When the store ends in order, what its workers had leased goes back at once.
Result<std::unique_ptr<Store>> open_postgres_store(PostgresConfig config);

// A Reader on PostgreSQL.

// On one connection, which is opened anew when it was lost. `not_found` if the database has no tables of
// quarry, `unsupported` if they are of another version, `unavailable` if it cannot be reached. URLs and
// changes may be tried as often as `limits` say, which no row repeats.
Result<std::unique_ptr<Reader>> open_postgres_reader(const db::PgConfig& config,
                                                     const StoreLimits& limits = {});

}  // namespace quarry::store
