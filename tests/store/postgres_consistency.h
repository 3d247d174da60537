// What must be true of quarry's tables in PostgreSQL at any time, whatever has happened to those who wrote
// them. The same rules as for a file (consistency.h), and those of the tables that a file does not have.
#pragma once

#include <string>
#include <vector>

#include "db/postgres/connection.h"
#include "store/workload.h"

namespace quarry::test {

// What is wrong, in sentences; empty if nothing is.
std::vector<std::string> inconsistencies(db::PgConnection& connection);

// Promises that are not kept, in sentences.
std::vector<std::string> broken_promises(db::PgConnection& connection, const std::vector<Promise>& promises);

}  // namespace quarry::test
