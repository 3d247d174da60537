// How far a crawl is, once or as it goes on.
#pragma once

#include <boost/json/fwd.hpp>

#include "api/api.h"
#include "model/group.h"

namespace quarry::api {

// What a crawl's client said of it: {"source_id", "user_id", "payload"}; nothing of a crawl that was begun
// elsewhere.
boost::json::object about_of(const Group& group);
// Gives it back.
void add_source(boost::json::object& answer, const boost::json::object& about);

// {"progressId", "status", "progress", "currentUrl", "totalPages", "processedPages", "failedPages", "waitingPages",
// "waitingReason", "error", "source_id", "user_id", "payload"}. It is not over while its pages cannot be found.
boost::json::object progress_of(store::Reader& reader, const Group& group);

// As server-sent events: once at the beginning, at every change, and for the last time at the end.
void follow_progress(Api& api, const Group& group, const Call& call);

}  // namespace quarry::api
