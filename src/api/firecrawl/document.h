// A stored page as Firecrawl's clients know it.
#pragma once

#include <string>

#include <boost/json.hpp>

#include "model/formats.h"
#include "model/stored_page.h"

namespace quarry::api {

// With the formats that were asked for, as far as the page was stored with them, and its metadata. The page
// has been read with its content.
boost::json::object firecrawl_document(const StoredPage& page, const Formats& formats);

}  // namespace quarry::api
