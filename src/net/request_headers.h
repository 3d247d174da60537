// The headers of a request: checked, so that a value from a user or a page cannot smuggle in a second
// request, and built for the two ways of logging in that need no negotiation.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/page.h"

namespace quarry::net {

// Fails with `invalid_argument` if a name is not a token, a value holds CR, LF or NUL, or a name belongs to
// the client (Host, Content-Length, Transfer-Encoding, Connection and the like).
Result<void> check_request_headers(const std::vector<Header>& headers);

// Values of an Authorization header.
std::string basic_authorization(std::string_view username, std::string_view password);
std::string bearer_authorization(std::string_view token);

}  // namespace quarry::net
