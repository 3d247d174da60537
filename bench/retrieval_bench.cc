// How good search is, from the index to the answer. usage: retrieval_bench RETRIEVAL_FOLDER [DIMENSIONS
// [WEIGHT [DEPTH [LEAN_ON]]]]. For each test set nDCG@10, recall@100 and time per question, by words alone
// and with the builtin space.
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <unistd.h>

#include "retrieval_run.h"

using namespace quarry;
using bench::RetrievalRun;

namespace {

RetrievalRun::Score checked(const Result<RetrievalRun::Score>& score) {
    if (score) return *score;
    std::fprintf(stderr, "error: %s\n", score.error().message.c_str());
    std::exit(2);
}

void print(const char* name, const RetrievalRun::Score& words, const RetrievalRun::Score& both) {
    std::printf("%-10s %7.4f %7.4f %+8.4f   %6.4f %6.4f   %6.2f %6.2f\n", name, words.ndcg, both.ndcg,
                both.ndcg - words.ndcg, words.recall, both.recall, words.milliseconds, both.milliseconds);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fputs("usage: retrieval_bench RETRIEVAL_FOLDER [DIMENSIONS [WEIGHT [DEPTH [LEAN_ON]]]]\n",
                   stderr);
        return 2;
    }
    search::SearchTuning tuning;
    const int dimensions = argc > 2 ? std::atoi(argv[2]) : embed::SpaceOptions{}.dimensions;
    if (argc > 3) tuning.vector_weight = static_cast<float>(std::atof(argv[3]));
    if (argc > 4) tuning.depth = std::atoi(argv[4]);
    if (argc > 5) tuning.lean_on = std::atoi(argv[5]);
    const auto folder =
        std::filesystem::temp_directory_path() / ("retrieval_bench_" + std::to_string(getpid()));
    std::filesystem::create_directory(folder);
    std::printf("%-10s %7s %7s %8s   %6s %6s   %6s %6s\n", "", "words", "hybrid", "", "recall", "recall",
                "ms", "ms");
    RetrievalRun::Score words_mean, both_mean;
    for (const char* name : {"scifact", "cranfield", "cisi", "pubmedqa"}) {
        auto run = RetrievalRun::open(std::string(argv[1]) + "/" + name, folder / name, dimensions);
        if (!run) checked(std::unexpected(run.error()));
        const auto words = checked((*run)->measure(search::Mode::keyword, tuning));
        const auto both = checked((*run)->measure(search::Mode::hybrid, tuning));
        print(name, words, both);
        for (const auto& [mean, score] : {std::pair(&words_mean, &words), std::pair(&both_mean, &both)}) {
            mean->ndcg += score->ndcg / 4;
            mean->recall += score->recall / 4;
            mean->milliseconds += score->milliseconds / 4;
        }
    }
    print("mean", words_mean, both_mean);
    std::filesystem::remove_all(folder);
}
