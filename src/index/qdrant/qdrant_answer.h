// What Qdrant answers, as bytes and as values. Pure; fuzzed. All fail with `corrupt` if it is something else.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>

#include "base/result.h"

namespace quarry::index {

struct QdrantPoint {
    std::string id{};
    float score = 0;  // of a query's points only
    boost::json::object payload{};
    std::vector<float> dense{};  // if it was asked for and is there
};

// The `result` of an answer's envelope.
Result<boost::json::value> qdrant_result(std::string_view body);
// What the envelope of an error says, or the body itself.
std::string qdrant_error(std::string_view body);

Result<std::vector<QdrantPoint>> read_found(const boost::json::value& result);    // of /points/query
Result<std::vector<QdrantPoint>> read_records(const boost::json::value& result);  // of POST /points
Result<std::int64_t> read_count(const boost::json::value& result);
Result<std::vector<std::string>> read_collection_names(const boost::json::value& result);
// True if readers see the change already.
Result<bool> read_completed(const boost::json::value& result);

}  // namespace quarry::index
