// One text for all ways to write the same value.
#pragma once

#include <string>

#include <boost/json/fwd.hpp>

namespace quarry::schema {

// Members sorted by name, numbers by their worth (1 and 1.0 are the same): two values are equal as JSON
// Schema means it exactly if their texts are.
std::string canonical_text(const boost::json::value& value);

}  // namespace quarry::schema
