// GET /metrics: what Prometheus wants to know of a server and its queue.
#pragma once

#include "api/routes.h"

namespace quarry::api {

void show_metrics(Api& api, store::Reader& reader, Call call);

}  // namespace quarry::api
