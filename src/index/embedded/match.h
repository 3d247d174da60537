// BM25 over a collection: every posting of every word counts, term after term.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "index/embedded/filter.h"
#include "index/embedded/collection.h"
#include "index/index.h"

namespace quarry::index {

// A term's postings wherever they are, and how many they are.
struct TermLists {
    std::string term{};
    std::vector<std::string> lists{};
    std::int64_t chunks = 0;

    void add(std::string_view postings);
};

// A keyword query with the postings it needs.
struct QueryLists {
    struct Word {
        TermLists lists{};
        float weight = 1;
    };
    std::vector<Word> words{};
    std::vector<TermLists> required{}, excluded{};
};

// The best, best first; of equal ones, the earlier slot. `corrupt` if a list is damaged.
Result<std::vector<Scored>> best_matches(const CollectionView& view, const QueryLists& query,
                                         const Filter& filter, int limit);

}  // namespace quarry::index
