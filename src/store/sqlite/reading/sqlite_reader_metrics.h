// Sessions and timings as they are in quarry.db.
#pragma once

#include <vector>

#include "base/result.h"
#include "db/sqlite.h"
#include "store/reader.h"

namespace quarry::store {

Result<std::vector<Session>> read_sessions(db::Connection& connection, const SessionFilter& filter);
Result<std::vector<SessionDay>> read_session_days(db::Connection& connection, int limit);
Result<std::vector<Operation>> read_operations(db::Connection& connection, const OperationFilter& filter);
Result<std::vector<OperationDay>> read_operation_days(db::Connection& connection, int limit);
// In several short snapshots: a crawl may have a million pages.
Result<std::vector<SlowPage>> read_slowest_pages(db::Connection& connection, GroupId group, int limit);

}  // namespace quarry::store
