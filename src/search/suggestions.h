// "Did you mean …?": the query again, with words that the collection knows.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "search/query.h"

namespace quarry::search {

struct Misspelled {
    const std::string& collection;
    const std::string& typed;            // the whole query
    const Query& query;                  // as it was understood
    const std::set<std::string>& known;  // terms that were met in an answer: not asked about
};

// At most three, best first. Words that occur anywhere in the collection are left alone; none if all do, or
// nothing is like those that do not.
Result<std::vector<std::string>> suggest_spellings(index::Index& index, const Misspelled& misspelled,
                                                   text::TermReader& reader);

}  // namespace quarry::search
