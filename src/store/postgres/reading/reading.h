// Sessions, timings, collections and the outbox in numbers, as they are in PostgreSQL.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/postgres/connection.h"
#include "store/reader.h"

namespace quarry::store::postgres {

Result<std::vector<Session>> read_sessions(db::PgConnection& connection, const SessionFilter& filter);
Result<std::vector<SessionDay>> read_session_days(db::PgConnection& connection, int limit);
Result<std::vector<Operation>> read_operations(db::PgConnection& connection, const OperationFilter& filter);
Result<std::vector<OperationDay>> read_operation_days(db::PgConnection& connection, int limit);
// In several short snapshots: a crawl may have a million pages.
Result<std::vector<SlowPage>> read_slowest_pages(db::PgConnection& connection, GroupId group, int limit);

Result<OutboxCounts> read_outbox_counts(db::PgConnection& connection, const std::string& collection,
                                        std::optional<GroupId> group);

Result<std::vector<Collection>> read_collections(db::PgConnection& connection);
Result<std::optional<Collection>> read_collection(db::PgConnection& connection, const std::string& name);
Result<EmbedderFacts> read_embedder(db::PgConnection& connection, const std::string& collection);

}  // namespace quarry::store::postgres
