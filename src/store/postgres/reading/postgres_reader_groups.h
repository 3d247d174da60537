// Groups, workers and schedules as they are in PostgreSQL.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/postgres/connection.h"
#include "store/reader.h"

namespace quarry::store::postgres {

Result<std::vector<Group>> read_groups(db::PgConnection& connection, const GroupFilter& filter);
Result<Group> read_group(db::PgConnection& connection, GroupId id);
Result<std::int64_t> read_position(db::PgConnection& connection, GroupId id);
Result<std::vector<std::string>> read_current_urls(db::PgConnection& connection, GroupId id, int limit);
Result<std::vector<WorkerInfo>> read_workers(db::PgConnection& connection);
Result<std::vector<Schedule>> read_schedules(db::PgConnection& connection);

}  // namespace quarry::store::postgres
