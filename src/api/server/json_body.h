// JSON that a client sent, within bounds.
#pragma once

#include <string_view>

#include <boost/json/fwd.hpp>

#include "base/result.h"

namespace quarry::api {

// An object; an empty one of an empty text. `invalid_argument` if it is none or is nested deeper than any
// request; `too_large` beyond 10 MB, or with more values than would fit into some times as much.
Result<boost::json::object> parse_json_object(std::string_view text);

}  // namespace quarry::api
