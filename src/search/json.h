// Requests and answers as JSON: what `search --json` prints, and what goes between a command and the process
// that owns the index. Names are stable; what is read ignores names that it does not know.
#pragma once

#include <string>

#include <boost/json/fwd.hpp>

#include "search/searcher.h"

namespace quarry::search {

std::string_view name_of(Mode mode);             // "hybrid", "keyword", "vector"
Result<Mode> parse_mode(std::string_view name);  // `invalid_argument`

boost::json::object to_json(const SearchRequest& request);
// `invalid_argument` names the field that is wrong. What is missing has its default.
Result<SearchRequest> parse_request(const boost::json::value& value);

// {"query", "collection", "mode", "hits": [{"id", "url", "title", "description"?, "score", "page",
// "passages":
// [{"text", "snippet", "marks", "headings", "score", "chunk"}]}], "suggestions", "warning"?}. `marks` are
// pairs of byte offsets into the snippet. `query` and `collection` are those of the request.
boost::json::object to_json(const SearchAnswer& answer, const SearchRequest& request);
// `corrupt` if it is not what to_json writes.
Result<SearchAnswer> parse_answer(const boost::json::value& value);

// A line of `search --batch`: {"id": of the query, "hits": [{"id", "url", "score"}]}.
boost::json::object batch_line(const std::string& query_id, const SearchAnswer& answer);

}  // namespace quarry::search
