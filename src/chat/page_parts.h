// Long pages, in parts that a model takes, and the answers about the parts as one.
#pragma once

#include <string_view>
#include <vector>

#include <boost/json/fwd.hpp>

namespace quarry::chat {

// Cut at paragraphs, else at lines, else between characters; at most `most` parts of at most `bytes`, the
// rest is left out. One part, perhaps empty, at least.
std::vector<std::string_view> parts_of(std::string_view text, std::size_t bytes, std::size_t most);

// Adds what another part says: fields that are missing, null or empty are filled in; lists grow by what is
// not in them yet; of two values for one field the first stays.
void merge_into(boost::json::value& whole, const boost::json::value& part);

}  // namespace quarry::chat
