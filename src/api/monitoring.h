// Whether the store can be read and worked on, for /readyz and /metrics.
#pragma once

#include <optional>

#include "api/routes.h"
#include "base/result.h"

namespace quarry::api {

// Nothing if all is well.
std::optional<Error> trouble_of_store(Api& api, store::Reader& reader);

}  // namespace quarry::api
