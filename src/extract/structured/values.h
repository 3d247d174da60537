// Text of a page as the value that somebody wants of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/json/fwd.hpp>

#include "base/result.h"
#include "url/url.h"

namespace quarry::structured {

enum class ValueType : std::uint8_t { string, number, integer, boolean, date, url };

// "number" to ValueType::number; `invalid_argument` with the names there are.
Result<ValueType> parse_value_type(std::string_view name);

// The first number in the text, as pages write them: "$1,299.00", "1.299,00 €", "4.5 out of 5", "−3".
// A single comma or point with three digits behind it separates thousands.
std::optional<double> number_in(std::string_view text);

// Nothing if the text does not say such a value: "soon" is no date. `base`, for URLs, may be null.
std::optional<boost::json::value> typed_value(std::string_view text, ValueType type, const url::Url* base);

}  // namespace quarry::structured
