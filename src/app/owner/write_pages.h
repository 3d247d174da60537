// Documents that no crawl brought, imported or watched, as pages of the store.
#pragma once

#include <boost/json/fwd.hpp>

#include "base/result.h"
#include "store/store.h"

namespace quarry::app {

// {"collection", "site", "priority", "index", "pages": [{"url", "id", "title", "markdown", "language", …}]}
// ->
// {"added", "changed", "unchanged"}. A page is what work::to_json makes of an ImportDocument; very long words
// come in a file instead ("markdown_file"), which stays the sender's. One with a "status" was fetched, and is the
// page that a crawl knows by that URL. The priority is one of the embedding queue: high, normal or low, or 1, 2 or
// 3. Doing it again is harmless. `invalid_argument` for anything else, and for a parameter that does not exist.
Result<boost::json::value> write_pages(store::Store& store, const boost::json::object& params);

}  // namespace quarry::app
