// The store in PostgreSQL: for many processes on many hosts.
#pragma once

#include <memory>

#include "base/base_clock.h"
#include "db/postgres/connection.h"
#include "store/store.h"

namespace quarry::store {

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

}  // namespace quarry::store
