// Documents that no crawl brought, imported or watched, as pages of the store.
#pragma once

#include <boost/json/fwd.hpp>

#include "base/result.h"
#include "store/store.h"

namespace quarry::app {

// {"collection", "site", "priority", "index", "pages": [{"url", "id", "title", "markdown", "language", …}]}
// ->
// {"added", "changed", "unchanged"}. A page is what work::to_json makes of an ImportDocument; very long words
// come in a file instead ("markdown_file"), which stays the sender's. Doing it again is harmless. The priority is
// one of the embedding queue: high, normal or low, or 1, 2 or 3. `invalid_argument` for anything else, and for a
// parameter that there is not.
Result<boost::json::value> write_pages(store::Store& store, const boost::json::object& params);

}  // namespace quarry::app
