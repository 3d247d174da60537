// The outbox in numbers, as it is in quarry.db.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "db/sqlite.h"
#include "store/reader.h"

namespace quarry::store {

Result<OutboxCounts> read_outbox_counts(db::Connection& connection, const std::string& collection,
                                        std::optional<GroupId> group);

}  // namespace quarry::store
