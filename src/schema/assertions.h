// Keywords that look at one value and at no schema below: types, bounds, lengths, choices.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <boost/json/fwd.hpp>

namespace quarry::schema {

bool is_type_name(std::string_view name);
bool has_type(const boost::json::value& value, std::string_view type);
bool is_integer(const boost::json::value& value);  // 1.0 is one, too
// Of a number; 0 for anything else.
double number_of(const boost::json::value& value);
// In characters; invalid UTF-8 counts by its bytes' beginnings.
std::size_t length_of(std::string_view text);

// Calls `complain` with a sentence for each keyword that the value does not keep; `pattern` is not among
// them.
void check_assertions(const boost::json::object& schema, const boost::json::value& value,
                      const std::function<void(std::string)>& complain);

}  // namespace quarry::schema
