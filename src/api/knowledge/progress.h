// How far a crawl is, once or as it goes on.
#pragma once

#include <boost/json/fwd.hpp>

#include "api/api.h"
#include "model/group.h"

namespace quarry::api {

// {"progressId", "status", "progress", "currentUrl", "totalPages", "processedPages", "failedPages", "error"}
boost::json::object progress_of(store::Reader& reader, const Group& group);

// As server-sent events: once at the beginning, at every change, and for the last time at the end.
void follow_progress(Api& api, const Group& group, const Call& call);

}  // namespace quarry::api
