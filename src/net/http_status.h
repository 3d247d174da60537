// HTTP status codes of 400 and above as errors.
#pragma once

#include <string>

#include "base/result.h"

namespace quarry::net {

// "HTTP 404 Not Found"; "HTTP 599" for codes without a registered name.
std::string http_status_line(int status);

// not_found for 404 and 410, timeout for 408 and 504, unavailable for 429 and other server errors, else
// refused.
ErrorCode http_error_code(int status);

}  // namespace quarry::net
