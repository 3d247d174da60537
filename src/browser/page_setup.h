// How a page is told what it is to be: its size, its language, its name, and what it does without.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/fwd.hpp>

#include "browser/request.h"

namespace quarry::browser {

using BrowserCommand = std::pair<std::string_view, boost::json::object>;

// To be sent before the page goes anywhere.
std::vector<BrowserCommand> setup_commands(const RenderRequest& request, const std::string& browsers_name);

// What to say to a request that was held up (Fetch.requestPaused): that it is blocked, or may go on, and with
// which headers. Headers of the user's go to the origin that they were meant for, and to no other.
void tell_verdict(const boost::json::object& paused, const RenderRequest& request,
                  const std::function<void(std::string_view method, boost::json::object parameters)>& tell);

}  // namespace quarry::browser
