// Small steps that all readers of structured data share.
#pragma once

#include <string>
#include <string_view>

#include <boost/json/fwd.hpp>

namespace quarry::structured {

// "https://schema.org/Product", "schema:Product" and "Product" are one: "Product".
std::string_view local_name(std::string_view name);

// Adds a value; a name met again turns its value into a list.
void add_field(boost::json::object& fields, std::string_view name, boost::json::value value);

}  // namespace quarry::structured
