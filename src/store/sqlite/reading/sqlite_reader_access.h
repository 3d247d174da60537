// Reading who may ask, what was asked and what it cost.
#pragma once

#include "db/sqlite.h"
#include "store/reader.h"

namespace quarry::store {

Result<std::vector<ApiKey>> read_keys(db::Connection& connection);
Result<std::optional<OwnerLimits>> read_limits(db::Connection& connection, const std::string& owner);
Result<std::vector<UsageDay>> read_usage(db::Connection& connection, const std::string& owner,
                                         Timestamp since);
Result<std::vector<RequestRecord>> read_requests(db::Connection& connection, const RequestFilter& filter);
Result<std::vector<RequestDay>> read_request_days(db::Connection& connection, int limit);

}  // namespace quarry::store
