// The API as OpenAPI describes such things, made from the table of routes.
#pragma once

#include <span>
#include <string_view>

#include <boost/json/fwd.hpp>

#include "api/routes.h"

namespace quarry::api {

boost::json::object openapi_of(std::span<const Route> routes, std::string_view version);

}  // namespace quarry::api
