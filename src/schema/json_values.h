// JSON Pointers (RFC 6901): places in a value.
#pragma once

#include <string>
#include <string_view>

#include <boost/json/fwd.hpp>

namespace quarry::schema {

// Adds "/name", escaped.
void append_to_pointer(std::string& pointer, std::string_view name);

// What the pointer names, or nullptr. `pointer` is "" or starts with a slash.
const boost::json::value* find_at(const boost::json::value& value, std::string_view pointer);

}  // namespace quarry::schema
