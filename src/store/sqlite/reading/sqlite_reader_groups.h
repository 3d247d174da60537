// Groups, workers and schedules as they are in quarry.db.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/sqlite.h"
#include "store/reader.h"

namespace quarry::store {

Result<std::vector<Group>> read_groups(db::Connection& connection, const GroupFilter& filter);
Result<Group> read_group(db::Connection& connection, GroupId id);
Result<std::int64_t> read_position(db::Connection& connection, GroupId id);
Result<std::vector<std::string>> read_current_urls(db::Connection& connection, GroupId id, int limit);
Result<std::vector<WorkerInfo>> read_workers(db::Connection& connection);
Result<std::vector<Schedule>> read_schedules(db::Connection& connection);

}  // namespace quarry::store
