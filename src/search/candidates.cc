#include "search/search_candidates.h"

#include <algorithm>
#include <set>

#include "embed/space/space_feedback.h"
#include "search/conditions.h"
#include "search/candidates.h"

namespace quarry::search {
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

}  // namespace quarry::search
