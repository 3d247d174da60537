// What is answered, in JSON. The one table from errors to HTTP statuses is here.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <boost/json/fwd.hpp>

#include "api/server/fields.h"
#include "api/server/message.h"
#include "base/result.h"

namespace quarry::api {

int status_of(ErrorCode code);
std::string_view name_of(ErrorCode code);  // "NOT_FOUND"

Response reply(const boost::json::value& value, int status = 200);
// {"success": false, "code", "error"}
Response reply(const Error& error);
// The same, but an `invalid_argument` is an issue of that field.
Response reply(const Error& error, std::string_view field);
// A sentence whose advice is a flag of the command line gets that of a server's operator instead.
std::string for_clients(std::string_view sentence);
Response reply_error(int status, std::string_view code, std::string_view sentence);
// 400 with all that is wrong: `error` names the first, `details` has each with its path.
Response reply(std::span<const Issue> issues);

}  // namespace quarry::api
