// JSON as text, with numbers as people write them: 0.525, where Boost's own writer puts 5.25E-1.
#pragma once

#include <cstdint>
#include <string>

#include <boost/json/fwd.hpp>

namespace quarry {

enum class Layout : std::uint8_t { one_line, indented };

std::string json_text(const boost::json::value& value, Layout layout = Layout::one_line);

}  // namespace quarry
