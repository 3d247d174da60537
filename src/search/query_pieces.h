// Cuts a query into its words, phrases and operators. Knows no terms: those are read from the pieces.
#pragma once

#include <string_view>
#include <vector>

namespace quarry::search {

struct QueryPiece {
    enum class Kind { word, phrase, site, path, language };
    Kind kind = Kind::word;
    bool excluded = false;    // by a - before it
    std::string_view text{};  // without quotes, - and operator
};

// In the order typed. Never empty pieces. Linear.
std::vector<QueryPiece> query_pieces(std::string_view typed);

}  // namespace quarry::search
