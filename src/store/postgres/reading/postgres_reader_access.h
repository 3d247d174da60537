// Reading who may ask, what was asked and what it cost.
#pragma once

#include "db/postgres/connection.h"
#include "store/reader.h"

namespace quarry::store::postgres {

Result<std::vector<ApiKey>> read_keys(db::PgConnection& connection);
Result<std::optional<OwnerLimits>> read_limits(db::PgConnection& connection, const std::string& owner);
Result<std::vector<UsageDay>> read_usage(db::PgConnection& connection, const std::string& owner,
                                         Timestamp since);
Result<std::vector<RequestRecord>> read_requests(db::PgConnection& connection, const RequestFilter& filter);
Result<std::vector<RequestDay>> read_request_days(db::PgConnection& connection, int limit);

}  // namespace quarry::store::postgres
