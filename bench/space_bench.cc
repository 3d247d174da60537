// How good search is with the builtin space. usage: space_bench RETRIEVAL_FOLDER [DIMENSIONS [WEIGHT]]
// For each test set nDCG@10 of BM25, of the space alone, and of both fused: min-max over the best hundred of
// each, added with WEIGHT (default 0.4) for the space; without and with the query leaning towards the best
// three by words.
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <stop_token>

#include "embed/space/space.h"
#include "space_bench_sets.h"

using namespace quarry;
using namespace quarry::bench;

namespace {

using Vector = std::vector<float>;

// All scores of one kind of ranking, between 0 and 1.
void add_scores(const Ranking& ranking, float weight, std::map<int, float>& sums) {
    if (ranking.empty()) return;
    const float best = ranking.front().score, least = ranking.back().score;
    for (const Hit& hit : ranking) {
        sums[hit.document] += weight * (best > least ? (hit.score - least) / (best - least) : 1);
    }
}

Ranking fuse(const Ranking& words, const Ranking& vectors, float weight) {
    std::map<int, float> sums;
    add_scores(words, 1 - weight, sums);
    add_scores(vectors, weight, sums);
    std::vector<float> scores(sums.empty() ? 0 : static_cast<std::size_t>(sums.rbegin()->first) + 1, -1e30F);
    for (const auto& [document, sum] : sums) scores[static_cast<std::size_t>(document)] = sum;
    return best_of(std::move(scores), 100);
}

Ranking nearest(const std::vector<Vector>& documents, const Vector& query) {
    std::vector<float> scores;
    for (const Vector& document : documents) {
        scores.push_back(
            query.empty() ? 0 : std::inner_product(document.begin(), document.end(), query.begin(), 0.0F));
    }
    return best_of(std::move(scores), 100);
}

Vector lean(const Vector& query, const Ranking& words, const std::vector<Vector>& documents) {
    std::vector<embed::FeedbackChunk> best;
    for (const Hit& hit : words) {
        if (best.size() == embed::feedback_chunks) break;
        best.push_back({documents[static_cast<std::size_t>(hit.document)], hit.score});
    }
    return embed::lean_towards(query, best);
}

struct Scores {
    double words = 0, space = 0, fused = 0, leaning = 0;
};

Scores measure(const TestSet& set, int dimensions, float weight) {
    embed::SpaceFit fit({.dimensions = dimensions});
    for (const text::TermBag& document : set.documents) fit.add(document);
    const auto space = fit.finish(std::stop_token{});
    if (!space) {
        std::fprintf(stderr, "error: %s: %s\n", set.name.c_str(), space.error().message.c_str());
        std::exit(2);
    }
    std::vector<Vector> documents;
    for (const text::TermBag& document : set.documents) documents.push_back(space->fold_in(document));

    const std::vector<Ranking> words = rank_by_words(set);
    std::vector<Ranking> alone, fused, leaning;
    for (std::size_t i = 0; i < set.questions.size(); ++i) {
        const Vector query = space->fold_in(set.questions[i].terms);
        alone.push_back(nearest(documents, query));
        fused.push_back(fuse(words[i], alone.back(), weight));
        leaning.push_back(fuse(words[i], nearest(documents, lean(query, words[i], documents)), weight));
    }
    return {mean_ndcg(set, words), mean_ndcg(set, alone), mean_ndcg(set, fused), mean_ndcg(set, leaning)};
}

void print(const char* name, const Scores& scores) {
    std::printf("%-10s %8.4f %8.4f %8.4f %+8.4f %8.4f %+8.4f\n", name, scores.words, scores.space,
                scores.fused, scores.fused - scores.words, scores.leaning, scores.leaning - scores.words);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fputs("usage: space_bench RETRIEVAL_FOLDER [DIMENSIONS [WEIGHT]]\n", stderr);
        return 2;
    }
    const int dimensions = argc > 2 ? std::atoi(argv[2]) : embed::SpaceOptions{}.dimensions;
    const float weight = argc > 3 ? static_cast<float>(std::atof(argv[3])) : 0.4F;
    std::printf("%-10s %8s %8s %8s %8s %8s\n", "nDCG@10", "BM25", "space", "fused", "", "leaning");
    Scores mean;
    for (const char* name : {"scifact", "cranfield", "cisi", "pubmedqa"}) {
        const Scores scores = measure(load_test_set(std::string(argv[1]) + "/" + name), dimensions, weight);
        print(name, scores);
        mean.words += scores.words / 4;
        mean.space += scores.space / 4;
        mean.fused += scores.fused / 4;
        mean.leaning += scores.leaning / 4;
    }
    print("mean", mean);
}
