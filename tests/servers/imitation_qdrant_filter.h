// Filters of Qdrant's requests: checked against their schema, and applied to payloads.
#pragma once

#include <set>
#include <string>

#include <boost/json/fwd.hpp>

namespace quarry::test {

struct FilteredPoint {
    const boost::json::value& id;
    const boost::json::object& payload;
    const std::set<std::string>& vectors;  // the names of those it has
};

// What is wrong with a filter, or "". A field that a filter looks at without an index of it is wrong too: a
// large collection would be read from end to end.
std::string wrong_with_filter(const boost::json::value& filter, const std::set<std::string>& indexed_fields);

// For filters that nothing is wrong with.
bool passes(const boost::json::value& filter, const FilteredPoint& point);

}  // namespace quarry::test
