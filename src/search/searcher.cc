#include "search/searcher.h"

#include <algorithm>

#include <fmt/format.h>

#include "search/search_candidates.h"
#include "search/search_hits.h"
#include "search/page_groups.h"
#include "search/suggestions.h"

namespace quarry::search {
namespace {

constexpr int most_hits = 10'000;
constexpr int most_neighbours = 20;
constexpr std::size_t most_reranked = 50;  // a reranker reads every text: this is a second or two of its time
// Of a longer query a wrong word does no harm, and looking for it takes time.
constexpr std::size_t most_words_to_spell = 12;

Result<void> check(const SearchRequest& request) {
    const auto in_range = [](int number, int least, int most) { return number >= least && number <= most; };
    if (!in_range(request.limit, 1, most_hits) || !in_range(request.offset, 0, most_hits))
        return fail(ErrorCode::invalid_argument,
                    fmt::format("a search has 1 to {} hits, from at most {} on", most_hits, most_hits));
    if (!in_range(request.context, 0, most_neighbours) || !in_range(request.passages, 0, most_neighbours))
        return fail(ErrorCode::invalid_argument,
                    fmt::format("a hit has at most {} passages and neighbours", most_neighbours));
    return {};
}

// What was said beside the query counts; what the query itself says narrows where that left room.
index::Filter both(index::Filter filter, const index::Filter& said) {
    if (filter.host.empty()) filter.host = said.host;
    if (filter.path_prefix.empty()) filter.path_prefix = said.path_prefix;
    if (filter.language.empty()) filter.language = said.language;
    return filter;
}

std::span<const PageGroup> wanted_part(std::span<const PageGroup> groups, const SearchRequest& request) {
    const auto offset = std::min<std::size_t>(groups.size(), static_cast<std::size_t>(request.offset));
    const auto rest = groups.subspan(offset);
    return rest.first(std::min<std::size_t>(rest.size(), static_cast<std::size_t>(request.limit)));
}

// Orders the first groups by what the reranker thinks of their best chunks. Those it has no say about follow.
Result<void> rerank(std::vector<PageGroup>& groups, const Reranker& reranker, const std::string& query,
                    ChunkTexts& texts) {
    const auto first = std::span(groups).first(std::min(groups.size(), most_reranked));
    std::vector<ChunkRef> refs;
    for (const PageGroup& group : first) refs.push_back(group.chunks.front().chunk);
    TRY(texts.fetch(refs));
    std::vector<std::string> passages;
    for (const ChunkRef& ref : refs) {
        const index::FoundChunk* found = texts.find(ref);
        passages.push_back(found == nullptr ? "" : found->label.title + "\n\n" + found->chunk.text);
    }
    const std::vector<float> scores = TRY(reranker(query, passages));
    if (scores.size() != passages.size())
        return fail(ErrorCode::corrupt,
                    fmt::format("the reranker scored {} of {} passages", scores.size(), passages.size()));
    for (std::size_t i = 0; i < scores.size(); ++i) first[i].score = scores[i];
    std::ranges::stable_sort(first, std::ranges::greater{}, &PageGroup::score);
    return {};
}

void add_sentence(std::string& text, const std::string& sentence) {
    text += (text.empty() ? "" : "; ") + sentence;
}

}  // namespace

Result<SearchAnswer> Searcher::search(const SearchRequest& request) const {
    TRY(check(request));
    text::TermReader reader;
    const Query query = TRY(parse_query(request.query, request.syntax, reader));
    SearchRequest narrowed = request;
    narrowed.filter = both(request.filter, query.filter);
    Candidates candidates = TRY(find_candidates(parts_, tuning_, narrowed, query));
    SearchAnswer answer{.mode = candidates.mode, .warning = std::move(candidates.warning)};

    auto groups = request.all_chunks ? each_alone(candidates.ranking) : group_by_page(candidates.ranking);
    ChunkTexts texts(parts_.index, request.collection);
    if (request.rerank && !groups.empty()) {
        const auto reranked = parts_.rerank ? rerank(groups, parts_.rerank, query.text, texts)
                                            : fail(ErrorCode::unsupported, "there is no reranker");
        if (!reranked) add_sentence(answer.warning, "not reranked: " + reranked.error().message);
    }
    const auto shown = wanted_part(groups, request);
    answer.hits = TRY(make_hits(shown, request, query, texts));
    if (request.offset == 0 && query.keywords.words.size() <= most_words_to_spell) {
        const std::set<std::string> known = terms_met(query, shown, texts);
        answer.suggestions =
            TRY(suggest_spellings(parts_.index, {request.collection, request.query, query, known}, reader));
    }
    return answer;
}

}  // namespace quarry::search
