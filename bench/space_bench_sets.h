// The test collections of shared/bench/retrieval, their terms, a plain BM25 over them, and nDCG@10.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "text/terms/terms.h"

namespace quarry::bench {

struct Hit {
    int document = 0;
    float score = 0;
};
using Ranking = std::vector<Hit>;  // best first

struct Question {
    text::TermBag terms{};
    std::map<int, double> relevant{};  // document -> grade; negative numbers for documents that are not there
};

struct TestSet {
    std::string name{};
    std::vector<text::TermBag> documents{};  // title and text together
    std::vector<Question> questions{};
};

// Exits with a message if the folder does not have the three files.
TestSet load_test_set(const std::string& folder);

// BM25 (k1 1.2, b 0.75, Lucene's idf); repeated words of the question count again, stop words do not count.
// The best hundred.
std::vector<Ranking> rank_by_words(const TestSet& set);

Ranking best_of(std::vector<float> scores, std::size_t limit);

double mean_ndcg(const TestSet& set, const std::vector<Ranking>& rankings);

}  // namespace quarry::bench
