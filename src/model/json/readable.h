// JSON as people like to read it: 9.5 for what other writers put as 9.5E0, and a member a line if that is
// wanted.
#pragma once

#include <cstdint>
#include <string>

#include <boost/json/fwd.hpp>

namespace quarry {

enum class Layout : std::uint8_t { one_line, indented };

std::string readable_json(const boost::json::value& value, Layout layout = Layout::one_line);

}  // namespace quarry
