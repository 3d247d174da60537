// URLs of a crawl as they are in quarry.db.
#pragma once

#include <vector>

#include "base/result.h"
#include "db/sqlite.h"
#include "store/reader.h"

namespace quarry::store {

Result<std::vector<FrontierUrl>> read_urls(db::Connection& connection, const UrlPage& page);

}  // namespace quarry::store
