// From a question to pages: keyword and vector legs of an index, fused, with the passages that answer.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "index/index.h"
#include "search/query.h"
#include "search/snippet.h"

namespace quarry::search {

enum class Mode { hybrid, keyword, vector };
enum class Fusion {
    scores,  // weighted, each leg's scores spread between its best and its last: right for the builtin space
    ranks,   // reciprocal rank fusion: right for strong embedders
};

struct SearchRequest {
    std::string query{};
    std::string collection = "default";
    int limit = 10;
    int offset = 0;
    Mode mode = Mode::hybrid;
    index::Filter filter{};   // what the query itself says with site: and the like comes on top
    bool all_chunks = false;  // else one hit per page, with its best passages
    int passages = 3;         // of a page, at most; 0: the page alone
    int context = 0;          // chunks before and after each passage
    bool rerank = false;
    Syntax syntax = Syntax::typed;
};

struct Passage {
    ChunkRef ref{};
    float score = 0;
    std::vector<std::string> headings{};
    std::string text{};  // the whole chunk, with its neighbours if asked for
    Snippet snippet{};
};

struct Hit {
    index::PageLabel label{};
    PageId page{};
    float score = 0;
    std::vector<Passage> passages{};  // the best first
};

struct SearchAnswer {
    std::vector<Hit> hits{};
    std::vector<std::string> suggestions{};  // other spellings of the query, if a word of it is unknown
    Mode mode = Mode::hybrid;                // what was done: keyword if the collection has no vectors
    std::string warning{};                   // why less was done than was asked for
};

// What the vector leg asks with. Empty: the query has no vector in this space, and words alone answer.
using QueryEmbedder =
    std::function<Result<std::vector<float>>(const std::string& collection, const std::string& query)>;
// Scores of the texts for the query, in their order.
using Reranker =
    std::function<Result<std::vector<float>>(const std::string& query, std::span<const std::string> texts)>;

struct SearcherParts {
    index::Index& index;
    QueryEmbedder embed{};  // none: keyword alone
    Reranker rerank{};
};

// Measured by bench/retrieval_bench on four test collections.
struct SearchTuning {
    float vector_weight = 0.5F;      // where scores are fused; words have the rest
    int depth = 100;                 // chunks taken from each leg
    int lean_on = 3;                 // chunks that a query leans towards in the builtin space
    std::optional<Fusion> fusion{};  // else by the collection's provider
};

class Searcher {
public:
    explicit Searcher(SearcherParts parts, SearchTuning tuning = {})
        : parts_(std::move(parts)), tuning_(tuning) {}

    // `invalid_argument` if there is nothing to search for in the query, or a number makes no sense. A
    // service that is down is no error: the answer comes by words alone, with a warning. Any thread.
    Result<SearchAnswer> search(const SearchRequest& request) const;

private:
    SearcherParts parts_;
    SearchTuning tuning_;
};

}  // namespace quarry::search
