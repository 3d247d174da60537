// What a person typed, understood: words, "exact phrases", -word, -"phrase", site:host, path:/x and
// lang:de. query_pieces cuts the text into its words, phrases and operators and knows no terms; parse_query
// reads the terms from the pieces.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "index/index.h"
#include "text/terms/terms.h"

namespace quarry::search {

// Cuts a query into its words, phrases and operators. Knows no terms: those are read from the pieces.

struct QueryPiece {
    enum class Kind { word, phrase, site, path, language };
    Kind kind = Kind::word;
    bool excluded = false;    // by a - before it
    std::string_view text{};  // without quotes, - and operator
};

// In the order typed. Never empty pieces. Linear.
std::vector<QueryPiece> query_pieces(std::string_view typed);

// What a person typed, understood: words, "exact phrases", -word, -"phrase", site:host, path:/x and lang:de.

// How a query is read.
enum class Syntax {
    typed,  // by a person, who knows of quotes and -word
    plain,  // a text like any other: what looks like an operator is one of its words
};

using TermSequence = std::vector<std::string>;  // terms that follow each other

struct Query {
    std::string text{};  // without what was excluded or was an operator: what is embedded and reranked by
    index::KeywordQuery keywords{};
    std::vector<TermSequence> phrases{};   // of two terms or more: what the index alone cannot promise
    std::vector<TermSequence> excluded{};  // likewise
    index::Filter filter{};                // what site:, path: and lang: say

    // True if a chunk that the index found has to be read before it counts as found.
    bool needs_text() const { return !phrases.empty() || !excluded.empty(); }
};

// Reads at most the first 8 KB and 256 different terms. A quote that is not closed ends with the text. Stop
// words count only if nothing else is left; a word that is repeated weighs more; an identifier asks for
// itself and, more weakly, for its parts. `invalid_argument` if there is no word to search for.
Result<Query> parse_query(std::string_view text, Syntax syntax, text::TermReader& reader);

// Narrows to a site: "example.com", or as it is copied from a browser, "https://example.com/guide".
void narrow_to_site(index::Filter& filter, std::string_view site);

// The terms in sequence, identifiers in their parts: "std::vector<int>" is met by what says std, vector, int.
TermSequence sequence_of(std::span<const text::Term> terms);

}  // namespace quarry::search
