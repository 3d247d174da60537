// The Link header of HTTP (RFC 8288), which can carry what <link> elements carry.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/page.h"

namespace quarry::extract {

// The target of the first link with this relation, as written; "" if there is none.
std::string link_header_target(const std::vector<Header>& headers, std::string_view relation);

}  // namespace quarry::extract
