// JSON values as keywords need them: places in a value (JSON Pointers, RFC 6901), and one text for all ways
// to write the same value.
#pragma once

#include <string>
#include <string_view>

#include <boost/json/fwd.hpp>

namespace quarry::schema {

// JSON Pointers (RFC 6901): places in a value.

// Adds "/name", escaped.
void append_to_pointer(std::string& pointer, std::string_view name);

// What the pointer names, or nullptr. `pointer` is "" or starts with a slash.
const boost::json::value* find_at(const boost::json::value& value, std::string_view pointer);

// One text for all ways to write the same value.

// Members sorted by name, numbers by their worth (1 and 1.0 are the same): two values are equal as JSON
// Schema means it exactly if their texts are.
std::string canonical_text(const boost::json::value& value);

}  // namespace quarry::schema
