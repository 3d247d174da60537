// What a query demands of a chunk, beyond being similar: phrases, and what must not be there.
#pragma once

#include "index/index.h"
#include "search/query.h"

namespace quarry::search {

// True if the query demands anything that its words' scores do not show.
bool has_conditions(const Query& query);

// By reading the page's title, the chunk's headings and its text; a phrase lies within one of them. Linear in
// them for phrases of ordinary length.
bool meets(const Query& query, const index::FoundChunk& found, text::TermReader& reader);

}  // namespace quarry::search
