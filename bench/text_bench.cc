// How fast words are read and chunks are cut. usage: text_bench FILE-OR-FOLDER [ROUNDS]
// Reads every .md, .txt and .jsonl file, ROUNDS times over (default 5), on one core. The time is the
// processor's, so that other work on the machine matters less.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include <time.h>

#include "text/chunks/chunk_markdown.h"
#include "text/terms/terms.h"

namespace {

using namespace quarry;

std::vector<std::string> read_texts(const std::filesystem::path& from) {
    std::vector<std::filesystem::path> files;
    if (std::filesystem::is_regular_file(from))
        files.push_back(from);
    else
        for (const auto& entry : std::filesystem::recursive_directory_iterator(from)) {
            const auto extension = entry.path().extension();
            if (extension == ".md" || extension == ".txt" || extension == ".jsonl")
                files.push_back(entry.path());
        }
    std::vector<std::string> texts;
    for (const auto& file : files) {
        std::ifstream in(file, std::ios::binary);
        texts.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
    return texts;
}

double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

// `work` says how many things it made of a text.
void measure(const char* what, const std::vector<std::string>& texts, int rounds,
             const std::function<std::size_t(const std::string&)>& work) {
    double best = 0;
    std::size_t bytes = 0, made = 0;
    for (int round = 0; round < rounds; ++round) {
        bytes = made = 0;
        const double start = processor_seconds();
        for (const std::string& text : texts) {
            made += work(text);
            bytes += text.size();
        }
        best = std::max(best, static_cast<double>(bytes) / 1e6 / (processor_seconds() - start));
    }
    std::printf("%-12s %6.1f MB, %9zu made: %5.0f MB/s (best of %d rounds)\n", what,
                static_cast<double>(bytes) / 1e6, made, best, rounds);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fputs("usage: text_bench FILE-OR-FOLDER [ROUNDS]\n", stderr);
        return 2;
    }
    const std::vector<std::string> texts = read_texts(argv[1]);
    const int rounds = argc > 2 ? std::atoi(argv[2]) : 5;
    text::TermReader reader;
    measure("read terms", texts, rounds, [&](const std::string& text) { return reader.read(text).size(); });
    measure("count terms", texts, rounds, [&](const std::string& text) {
        const std::string_view one[] = {text};
        return reader.count(one).counts.size();
    });
    measure("chunk", texts, rounds,
            [](const std::string& text) { return text::chunk_markdown(text, "", {}).size(); });
    measure("estimate", texts, rounds,
            [](const std::string& text) { return static_cast<std::size_t>(text::estimate_tokens(text)); });
    return texts.empty() ? 1 : 0;
}
