// Which jobs and which pages an operation is about, as JSON.
#pragma once

#include <boost/json/fwd.hpp>

#include "base/result.h"
#include "store/store.h"

namespace quarry::store {

// Only what narrows: an empty filter is an empty object.
boost::json::object to_json(const JobFilter& filter);
// `invalid_argument` also for a name that is not known: leaving a part out would widen the filter.
Result<JobFilter> parse_job_filter(const boost::json::value& json);

// {"collection", "urls", "host", "path_prefix", "site", "group"}. Keys are not said.
boost::json::object to_json(const PageFilter& filter);
Result<PageFilter> parse_page_filter(const boost::json::value& json);  // as for jobs

}  // namespace quarry::store
