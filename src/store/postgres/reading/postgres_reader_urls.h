// URLs of a crawl as they are in PostgreSQL.
#pragma once

#include <vector>

#include "db/postgres/connection.h"
#include "store/reader.h"

namespace quarry::store::postgres {

Result<std::vector<FrontierUrl>> read_urls(db::PgConnection& connection, const UrlPage& page);

}  // namespace quarry::store::postgres
