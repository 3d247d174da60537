// The parts of `search` that tests read: its flags as a request, and hits in words for people: a few lines
// each, what the query met in bold.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/output/terminal.h"
#include "cli/parser.h"
#include "search/searcher.h"

namespace quarry::cli {

// The flags of `search` as a request.

struct SearchFlags {
    std::vector<std::string> words{};  // quoted or not: joined, they are the query
    std::string collection = "default", mode = "hybrid";
    std::string site{}, path{}, language{}, since{}, until{};
    int limit = 0;  // 0: 10, and 100 for each query of a batch
    int offset = 0, context = 0;
    bool all_chunks = false, rerank = false;
    std::string batch{};
};

// Adds the flags; `flags` must outlive the parser.
void add_search_flags(Parser& parser, SearchFlags& flags);

// `invalid_argument` says which flag is wrong. Times are told from `now` on.
Result<search::SearchRequest> search_request(const SearchFlags& flags, Timestamp now);

// Which end of a day, month or year is meant.
enum class DayEnd { first, last };

// "2024-03-05", "2024-03", "2024-03-05T10:20:30Z" and what else pages call a date, in UTC; or how long ago:
// "36h", "7d".
Result<Timestamp> parse_time(std::string_view text, DayEnd end, Timestamp now);

struct BatchQuery {
    std::string id{}, text{};
};

// Lines {"_id": …, "text": …}; blank lines are skipped. `invalid_argument` names the line that is not one.
Result<std::vector<BatchQuery>> parse_batch(std::string_view lines);

// Hits for people: a few lines each, what the query met in bold.

//  1  Installing quarry
//     https://docs.example.com/guide/install
//     Guide › Linux
//     …one static binary. To install it, copy it to a folder in your PATH…
//
// With neighbours asked for, each hit's best passage is shown whole instead.
std::string hits_text(const search::SearchAnswer& answer, const search::SearchRequest& request,
                      const Terminal& terminal);

}  // namespace quarry::cli
