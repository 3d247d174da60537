// The test collections of shared/bench/retrieval, searched as a person would: imported into an index of their
// own, with the builtin space, through search::Searcher.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "embed/space/space.h"
#include "index/embedded/embedded_index.h"
#include "search/searcher.h"

namespace quarry::bench {

struct Judged {
    std::string text{};
    std::map<std::string, double> relevant{};  // by document id
};

class RetrievalRun {
public:
    // Indexes the documents of DATASET into a new index at `index_path`, and fits the space. `not_found` if
    // the files are not there.
    static Result<std::unique_ptr<RetrievalRun>> open(const std::string& dataset,
                                                      const std::string& index_path, int dimensions = 256);

    struct Score {
        double ndcg = 0;    // at 10
        double recall = 0;  // at 100
        int questions = 0;
        double milliseconds = 0;  // per question
    };
    // Over all questions that have an answer.
    Result<Score> measure(search::Mode mode, const search::SearchTuning& tuning);

private:
    Result<void> fill(const std::string& dataset);
    Result<void> fit(int dimensions);

    std::unique_ptr<index::EmbeddedIndex> index_;
    std::unique_ptr<embed::Space> space_;
    std::vector<Judged> questions_;
};

}  // namespace quarry::bench
