// The keywords of draft 2020-12, and what may stand behind each: one table, from which schemas in schemas are
// found and mistakes are told.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/json/fwd.hpp>

namespace quarry::schema {

enum class Shape : std::uint8_t {
    anything,
    schema,
    schema_list,
    schema_map,
    pattern_map,  // patterns to schemas
    number,
    positive_number,
    count,
    text,
    pattern,
    yes_no,
    list,
    names,      // a list of strings
    names_map,  // of such lists
    type,       // the name of a type, or several
};

// `anything` for keywords that the draft does not know: they are allowed and mean nothing.
Shape shape_of(std::string_view keyword);

// What is wrong with the value itself, not with schemas in it: "must be a number".
std::optional<std::string> misshapen(Shape shape, const boost::json::value& value);

}  // namespace quarry::schema
