// Reading what a service computed. Its answers are as hostile as any other bytes from the network: shapes,
// counts and numbers are checked before anybody relies on them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <boost/json/fwd.hpp>

#include "base/result.h"
#include "embed/embedder.h"

namespace quarry::embed {

// `corrupt` if it is not JSON, or nested deeper than any answer is.
Result<boost::json::value> parse_json_answer(std::string_view body);

// `corrupt` if it is not an array of finite numbers. A service that computed NaN writes it as null.
Result<Vector> read_vector(const boost::json::value& value);

// `corrupt` unless there are `count` vectors, all of the same length, which is `dimensions` unless that is 0.
Result<void> check_vectors(const std::vector<Vector>& vectors, std::size_t count, int dimensions);

// Of length 1; a vector of zeros stays as it is.
void normalise(Vector& vector);

}  // namespace quarry::embed
