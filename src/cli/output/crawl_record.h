// A crawl as JSON, as `status` and `crawl --wait` print it.
#pragma once

#include <boost/json/fwd.hpp>

#include "model/group.h"
#include "store/reader.h"

namespace quarry::cli {

// model/json/output.h, and what only the store knows: queue_position, current_url and current_urls.
boost::json::object crawl_record(const Group& group, store::Reader& reader);

}  // namespace quarry::cli
