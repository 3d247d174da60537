// What programs say to each other in JSON, read without trust.
#pragma once

#include <string>
#include <string_view>

#include <boost/json.hpp>

namespace quarry::app {

// The text of that name; "" if there is none, or something else.
inline std::string text_in(const boost::json::object& object, std::string_view name) {
    const boost::json::value* value = object.if_contains(name);
    return value && value->is_string() ? std::string(value->get_string()) : "";
}

inline std::string text_in(const boost::json::value& value, std::string_view name) {
    const boost::json::object* object = value.if_object();
    return object ? text_in(*object, name) : "";
}

}  // namespace quarry::app
