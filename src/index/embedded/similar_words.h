// Words that differ from one by a slip of the fingers: a letter too many, too few, another, or two swapped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "index/embedded/collection.h"
#include "index/embedded/reading.h"

namespace quarry::index {

// How many slips make one word of the other, counted up to `most` + 1. In characters of UTF-8.
int slips_between(std::string_view a, std::string_view b, int most);

// The fewest slips first, then the most frequent. Reads the words that begin with the same letter.
Result<std::vector<std::string>> find_similar_words(ReadConnection& rows, const Sources& sources,
                                                    const std::string& word, int limit);

}  // namespace quarry::index
