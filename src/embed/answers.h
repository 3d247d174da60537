// Reading what a service answered. Its answers are as hostile as any other bytes from the network: shapes,
// counts and numbers are checked before anybody relies on them, and what it says when it refuses is made
// fit to stand in a sentence of ours.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <boost/json/fwd.hpp>

#include "base/result.h"
#include "embed/embedder.h"

namespace quarry::embed {

// Reading what a service computed. Its answers are as hostile as any other bytes from the network: shapes,
// counts and numbers are checked before anybody relies on them.

// `corrupt` if it is not JSON, or nested deeper than any answer is.
Result<boost::json::value> parse_json_answer(std::string_view body);

// `corrupt` if it is not an array of finite numbers. A service that computed NaN writes it as null.
Result<Vector> read_vector(const boost::json::value& value);

// `corrupt` unless there are `count` vectors, all of the same length, which is `dimensions` unless that is 0.
Result<void> check_vectors(const std::vector<Vector>& vectors, std::size_t count, int dimensions);

// Of length 1; a vector of zeros stays as it is.
void normalise(Vector& vector);

// What a service says when it refuses, made fit to stand in a sentence of ours.

// The words of an error's body: TEI's {"error":"…"} and {"message":"…"}, OpenAI's {"error":{"message":"…"}},
// or the body itself if it is none of these.
std::string words_of_error(std::string_view body);

// One line of bounded length, valid UTF-8, without the key: a careless server repeats it.
std::string quoted_words(std::string_view words, std::string_view key);

}  // namespace quarry::embed
