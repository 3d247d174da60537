// JSON as people like to read it: a member a line, and 9.5 for what other writers put as 9.5E0.
#pragma once

#include <string>

#include <boost/json/fwd.hpp>

namespace quarry::cli {

enum class Layout : std::uint8_t { one_line, indented };

std::string readable_json(const boost::json::value& value, Layout layout);

}  // namespace quarry::cli
