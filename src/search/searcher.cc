// "Did you mean …?": the query again, with words that the collection knows.
#include "search/searcher.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/result.h"
#include "search/candidates.h"
#include "search/hits.h"
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

namespace {

constexpr int most_suggestions = 3;
constexpr std::size_t most_words_asked = 8;  // each costs a look through the vocabulary

class Speller {
public:
    Speller(index::Index& index, const Misspelled& misspelled, text::TermReader& reader)
        : index_(index), misspelled_(misspelled), reader_(reader) {}

    Result<std::vector<std::string>> suggest() {
        for (const std::string& term : TRY(unknown_terms())) {
            auto words = TRY(similar_to(term));
            if (!words.empty()) respelled_.emplace(term, std::move(words));
        }
        std::vector<std::string> suggestions;
        for (std::size_t n = 0; n < most_suggestions && !respelled_.empty(); ++n) {
            std::string suggestion = spelled_anew(n);
            if (std::ranges::find(suggestions, suggestion) == suggestions.end())
                suggestions.push_back(std::move(suggestion));
        }
        return suggestions;
    }

private:
    Result<std::vector<std::string>> unknown_terms() {
        std::vector<std::string> unknown;
        for (const auto& word : misspelled_.query.keywords.words) {
            if (unknown.size() >= most_words_asked) break;
            if (misspelled_.known.contains(word.term)) continue;
            if (TRY(chunks_with(word.term)).empty()) unknown.push_back(word.term);
        }
        return unknown;
    }

    Result<std::vector<index::Scored>> chunks_with(const std::string& term) {
        return index_.match(misspelled_.collection, {.words = {{.term = term}}}, {}, 1);
    }

    // As a text of the collection spells them: the index knows "instal", a person wants "installation".
    Result<std::vector<std::string>> similar_to(const std::string& term) {
        std::vector<std::string> words;
        for (const std::string& similar :
             TRY(index_.similar_words(misspelled_.collection, term, most_suggestions))) {
            std::string word = TRY(as_written(similar));
            if (std::ranges::find(words, word) == words.end()) words.push_back(std::move(word));
        }
        return words;
    }

    Result<std::string> as_written(const std::string& term) {
        const auto found = TRY(chunks_with(term));
        if (found.empty()) return term;
        const ChunkRef ref = found.front().chunk;
        for (const index::FoundChunk& chunk : TRY(index_.read(misspelled_.collection, std::span(&ref, 1)))) {
            if (std::string word = word_in(chunk.chunk.text, term); !word.empty()) return word;
            if (std::string word = word_in(chunk.label.title, term); !word.empty()) return word;
        }
        return term;
    }

    std::string word_in(const std::string& text, const std::string& term) {
        for (const text::Term& read : reader_.read(text)) {
            if (read.text == term)
                return lower_case(std::string_view(text).substr(read.begin, read.end - read.begin));
        }
        return "";
    }

    // The query with the nth choice for each unknown word, or its last.
    std::string spelled_anew(std::size_t n) {
        const std::string& typed = misspelled_.typed;
        std::string spelled;
        std::size_t at = 0;
        for (const text::Term& term : reader_.read(typed)) {
            const auto choices = respelled_.find(term.text);
            if (choices == respelled_.end() || term.begin < at) continue;
            spelled.append(typed, at, term.begin - at);
            spelled += choices->second[std::min(n, choices->second.size() - 1)];
            at = term.end;
        }
        return spelled.append(typed, at);
    }

    index::Index& index_;
    const Misspelled& misspelled_;
    text::TermReader& reader_;
    std::map<std::string, std::vector<std::string>, std::less<>> respelled_;  // by term
};

}  // namespace

Result<std::vector<std::string>> suggest_spellings(index::Index& index, const Misspelled& misspelled,
                                                   text::TermReader& reader) {
    return Speller(index, misspelled, reader).suggest();
}

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
