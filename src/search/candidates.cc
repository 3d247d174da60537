// What a query demands of a chunk, beyond being similar: phrases, and what must not be there.
#include "search/candidates.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include "embed/space/space.h"
#include "index/index.h"
#include "search/query.h"

namespace quarry::search {

// True if the query demands anything that its words' scores do not show.
bool has_conditions(const Query& query);

// By reading the page's title, the chunk's headings and its text; a phrase lies within one of them. Linear in
// them for phrases of ordinary length.
bool meets(const Query& query, const index::FoundChunk& found, text::TermReader& reader);

namespace {

constexpr float rank_offset = 60;  // the customary k: the first ranks are not worth all the others together

using Sums = std::map<ChunkRef, float>;

// Ties in the order of the chunks: the same question gets the same answer.
std::vector<index::Scored> ranked(const Sums& sums) {
    std::vector<index::Scored> ranking;
    ranking.reserve(sums.size());
    for (const auto& [chunk, score] : sums) ranking.push_back({chunk, score});
    std::ranges::stable_sort(ranking, std::ranges::greater{}, &index::Scored::score);
    return ranking;
}

}  // namespace

std::vector<index::Scored> fuse_scores(std::span<const Leg> legs) {
    Sums sums;
    for (const Leg& leg : legs) {
        if (leg.ranking.empty()) continue;
        const auto [last, best] = std::ranges::minmax(leg.ranking, {}, &index::Scored::score);
        const float spread = best.score - last.score;
        for (const index::Scored& hit : leg.ranking)
            sums[hit.chunk] += leg.weight * (spread > 0 ? (hit.score - last.score) / spread : 1);
    }
    return ranked(sums);
}

std::vector<index::Scored> fuse_ranks(std::span<const Leg> legs) {
    Sums sums;
    for (const Leg& leg : legs) {
        float rank = 0;
        for (const index::Scored& hit : leg.ranking) sums[hit.chunk] += leg.weight / (rank_offset + ++rank);
    }
    return ranked(sums);
}

namespace {

using Ranking = std::vector<index::Scored>;

// Whose text is read to see if it meets the query's demands, at most.
constexpr int most_examined = 1'000;
constexpr std::size_t examined_at_once = 64;
// Pages have several chunks: this many are asked for per page that is wanted.
constexpr int chunks_per_page = 3;

// A query that leans on nothing is worth less in the builtin space: nDCG@10 is best with 0.3 then, not 0.5.
constexpr float share_without_leaning = 0.6F;

std::span<const index::Scored> first(const Ranking& ranking, int count) {
    return std::span(ranking).first(std::min<std::size_t>(ranking.size(), static_cast<std::size_t>(count)));
}

class Finder {
public:
    Finder(const SearcherParts& parts, const SearchTuning& tuning, const SearchRequest& request,
           const Query& query)
        : parts_(parts), tuning_(tuning), request_(request), query_(query), weight_(tuning.vector_weight) {
        depth_ = std::max(tuning.depth, (request.offset + request.limit) * chunks_per_page);
        if (has_conditions(query)) depth_ = std::max(depth_, most_examined);
    }

    Result<Candidates> find() {
        std::vector<float> vector = query_vector();
        Ranking words, near;
        if (found_.mode != Mode::vector)
            words = TRY(parts_.index.match(request_.collection, query_.keywords, request_.filter, depth_));
        if (found_.mode == Mode::hybrid) {
            is_builtin_ = TRY(parts_.index.facts(request_.collection)).space > 0;
            if (is_builtin_) vector = TRY(leaning(vector, words));
        }
        if (found_.mode != Mode::keyword)
            near = TRY(parts_.index.nearest(request_.collection, vector, request_.filter, depth_));
        found_.ranking = fused(std::move(words), std::move(near));
        if (has_conditions(query_)) TRY(keep_what_meets());
        return std::move(found_);
    }

private:
    // Also decides what is done, and says why if that is less than was asked for.
    std::vector<float> query_vector() {
        found_.mode = request_.mode;
        if (request_.mode == Mode::keyword) return {};
        if (!parts_.embed) return by_words(request_.mode == Mode::vector ? "there are no vectors here" : "");
        auto vector = parts_.embed(request_.collection, query_.text);
        if (!vector) return by_words(vector.error().message);
        if (vector->empty())
            return by_words(request_.mode == Mode::vector ? "the collection has no vectors for it" : "");
        return *std::move(vector);
    }

    std::vector<float> by_words(const std::string& why) {
        found_.mode = Mode::keyword;
        if (!why.empty()) found_.warning = "answered by words alone: " + why;
        return {};
    }

    // A question has few words; in the builtin space, which has only words to go by, those of the chunks that
    // they found best help.
    Result<std::vector<float>> leaning(const std::vector<float>& vector, const Ranking& words) {
        const auto best = first(words, tuning_.lean_on);
        std::vector<ChunkRef> refs;
        for (const index::Scored& hit : best) refs.push_back(hit.chunk);
        auto vectors = TRY(parts_.index.vectors(request_.collection, refs));
        std::vector<embed::FeedbackChunk> chunks;
        for (std::size_t i = 0; i < best.size() && i < vectors.size(); ++i) {
            if (!vectors[i].empty()) chunks.push_back({std::move(vectors[i]), best[i].score});
        }
        if (chunks.empty()) weight_ *= share_without_leaning;
        return embed::lean_towards(vector, chunks);
    }

    Ranking fused(Ranking words, Ranking near) {
        if (found_.mode == Mode::keyword) return words;
        if (found_.mode == Mode::vector) return near;
        // Scores are spread over the first `depth` alone, so that a page's place does not depend on how many
        // are asked for. What lies deeper follows in the order of its words.
        const Leg legs[] = {{first(words, tuning_.depth), 1 - weight_},
                            {first(near, tuning_.depth), weight_}};
        const Fusion fusion = tuning_.fusion.value_or(is_builtin_ ? Fusion::scores : Fusion::ranks);
        const Leg equal[] = {{legs[0].ranking, 1}, {legs[1].ranking, 1}};
        Ranking ranking = fusion == Fusion::scores ? fuse_scores(legs) : fuse_ranks(equal);
        append_deeper(ranking, words);
        append_deeper(ranking, near);
        return ranking;
    }

    void append_deeper(Ranking& ranking, const Ranking& leg) {
        const auto depth = static_cast<std::size_t>(tuning_.depth);
        if (leg.size() <= depth) return;
        std::set<ChunkRef> known;
        for (const index::Scored& hit : ranking) known.insert(hit.chunk);
        for (const index::Scored& hit : std::span(leg).subspan(depth))
            if (!known.contains(hit.chunk)) ranking.push_back({hit.chunk, 0});
    }

    // In order, until there are as many as would be without demands.
    Result<void> keep_what_meets() {
        const auto wanted = static_cast<std::size_t>(
            std::max(tuning_.depth, (request_.offset + request_.limit) * chunks_per_page));
        Ranking kept;
        auto rest = first(found_.ranking, most_examined);
        while (!rest.empty() && kept.size() < wanted) {
            const auto batch = rest.first(std::min(rest.size(), examined_at_once));
            rest = rest.subspan(batch.size());
            std::vector<ChunkRef> refs;
            for (const index::Scored& hit : batch) refs.push_back(hit.chunk);
            std::set<ChunkRef> good;
            for (const index::FoundChunk& found : TRY(parts_.index.read(request_.collection, refs)))
                if (meets(query_, found, reader_)) good.insert(found.ref);
            for (const index::Scored& hit : batch)
                if (good.contains(hit.chunk)) kept.push_back(hit);
        }
        found_.ranking = std::move(kept);
        return {};
    }

    const SearcherParts& parts_;
    const SearchTuning& tuning_;
    const SearchRequest& request_;
    const Query& query_;
    int depth_ = 0;
    float weight_ = 0;         // of vectors
    bool is_builtin_ = false;  // the space of the collection's vectors
    text::TermReader reader_;
    Candidates found_;
};

}  // namespace

Result<Candidates> find_candidates(const SearcherParts& parts, const SearchTuning& tuning,
                                   const SearchRequest& request, const Query& query) {
    return Finder(parts, tuning, request, query).find();
}

namespace {

// Looks at one text after the other and remembers what of the query it saw.
class Examination {
public:
    Examination(const Query& query, text::TermReader& reader)
        : query_(query), reader_(reader), seen_phrases_(query.phrases.size()) {
        for (const std::string& term : query.keywords.required) missing_.insert(term);
        for (const std::string& term : query.keywords.excluded) unwanted_.insert(term);
    }

    // False if something is there that must not be.
    bool look_at(std::string_view text) {
        const auto terms = reader_.read(text);
        for (const text::Term& term : terms) {
            if (unwanted_.contains(term.text)) return false;
            missing_.erase(term.text);
        }
        if (!query_.needs_text()) return true;
        const TermSequence sequence = sequence_of(terms);
        for (std::size_t i = 0; i < seen_phrases_.size(); ++i)
            seen_phrases_[i] = seen_phrases_[i] || has(sequence, query_.phrases[i]);
        return std::ranges::none_of(query_.excluded,
                                    [&](const TermSequence& phrase) { return has(sequence, phrase); });
    }

    bool saw_all() const {
        return missing_.empty() && std::ranges::all_of(seen_phrases_, [](bool seen) { return seen; });
    }

private:
    static bool has(const TermSequence& sequence, const TermSequence& phrase) {
        return !std::ranges::search(sequence, phrase).empty();
    }

    const Query& query_;
    text::TermReader& reader_;
    std::vector<bool> seen_phrases_;
    std::unordered_set<std::string_view> missing_, unwanted_;
};

}  // namespace

bool has_conditions(const Query& query) {
    return query.needs_text() || !query.keywords.required.empty() || !query.keywords.excluded.empty();
}

bool meets(const Query& query, const index::FoundChunk& found, text::TermReader& reader) {
    Examination examination(query, reader);
    if (!examination.look_at(found.label.title)) return false;
    for (const std::string& heading : found.chunk.headings) {
        if (!examination.look_at(heading)) return false;
    }
    return examination.look_at(found.chunk.text) && examination.saw_all();
}

}  // namespace quarry::search
