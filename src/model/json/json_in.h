// What another process or service says in JSON, read without trust: nothing here throws, whatever stands
// there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json.hpp>

#include "base/result.h"

namespace quarry {

// The member of that name; null if there is none, or the value is no object.
const boost::json::value* member_in(const boost::json::value& value, std::string_view name);

// "" , nothing or null if there is none, or something else. A whole number may be written as 2.0.
std::string text_in(const boost::json::value& value, std::string_view name);
std::string text_in(const boost::json::object& object, std::string_view name);
std::optional<std::int64_t> number_in(const boost::json::value& value, std::string_view name);
std::optional<std::int64_t> number_in(const boost::json::object& object, std::string_view name);
std::optional<bool> flag_in(const boost::json::value& value, std::string_view name);
const boost::json::array* list_in(const boost::json::value& value, std::string_view name);

// The same for what an answer has to have: `corrupt` without it, with a sentence that names it.
Result<std::int64_t> answered_number(const boost::json::value& answer, std::string_view name);
Result<bool> answered_flag(const boost::json::value& answer, std::string_view name);
Result<boost::json::object> answered_object(const boost::json::value& answer);

}  // namespace quarry
