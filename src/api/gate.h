// Who may ask a server that asks nobody for a key. It listens on this machine alone, but web pages in a
// browser on this machine can reach it: by a name of theirs that leads here (DNS rebinding), or across
// origins. Both say so in their headers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/server/message.h"
#include "base/result.h"

namespace quarry::api {

// True for "localhost:3002", "127.0.0.1", "[::1]:3002" and the like, and for nothing that DNS decides.
bool is_this_machine(std::string_view host);

// Why the request is refused; nothing if it is not. Pages of some origins may have been made welcome.
std::optional<Error> refusal_of_stranger(const Request& request, bool is_welcome_origin = false);

}  // namespace quarry::api
