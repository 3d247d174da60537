// A collection as the writer knows it: what searches look at, and what only writing needs.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/sqlite.h"
#include "index/embedded/slot_supply.h"
#include "index/embedded/vectors.h"
#include "index/embedded/collection.h"

namespace quarry::index {

struct Shelf {
    CollectionView view{};
    SlotSupply supply{};
    std::vector<SpaceRow> spaces{};  // the one in use, and those being filled

    SpaceRow* space(std::int64_t id);
};

using Shelves = std::map<std::string, std::unique_ptr<Shelf>, std::less<>>;

// All collections as the file has them. In one snapshot of the connection.
Result<Shelves> load_shelves(db::Connection& connection);
Result<Signs> load_signs(db::Connection& connection, const SpaceRow& space, const SlotTable& slots);

}  // namespace quarry::index
