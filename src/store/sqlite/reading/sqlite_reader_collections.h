// Collections as they are in quarry.db.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/sqlite.h"
#include "store/reader.h"

namespace quarry::store {

Result<std::vector<Collection>> read_collections(db::Connection& connection);
Result<std::optional<Collection>> read_collection(db::Connection& connection, const std::string& name);
Result<EmbedderFacts> read_embedder(db::Connection& connection, const std::string& collection);

}  // namespace quarry::store
