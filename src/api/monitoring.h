// Whether a server works: the store's trouble for /readyz, and /metrics, what Prometheus wants to know of a
// server and its queue.
#pragma once

#include <optional>

#include "api/routes.h"
#include "base/result.h"

namespace quarry::api {

// Whether the store can be read and worked on, for /readyz and /metrics.

// Nothing if all is well.
std::optional<Error> trouble_of_store(Api& api, store::Reader& reader);

// GET /metrics: what Prometheus wants to know of a server and its queue.

void show_metrics(Api& api, store::Reader& reader, Call call);

}  // namespace quarry::api
