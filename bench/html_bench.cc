// How fast the HTML parser is on real pages. usage: html_bench FOLDER [ROUNDS]
// Parses every .html file of the folder, ROUNDS times over (default 5), on one core. Reading files and
// copying their bytes is not part of the time, which is the processor's, so that other work on the machine
// matters less.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <time.h>

#include "html/parser.h"

namespace {

std::vector<std::string> read_pages(const std::filesystem::path& folder) {
    std::vector<std::string> pages;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (entry.path().extension() != ".html") continue;
        std::ifstream in(entry.path(), std::ios::binary);
        pages.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
    return pages;
}

double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fputs("usage: html_bench FOLDER [ROUNDS]\n", stderr);
        return 2;
    }
    const std::vector<std::string> pages = read_pages(argv[1]);
    const int rounds = argc > 2 ? std::atoi(argv[2]) : 5;
    std::size_t bytes = 0, nodes = 0;
    double best = 0;
    for (int round = 0; round < rounds; ++round) {
        bytes = nodes = 0;
        double seconds = 0;
        for (const std::string& page : pages) {
            std::string copy = page;
            const double start = processor_seconds();
            {
                const quarry::html::Tree tree = quarry::html::parse(std::move(copy));
                nodes += tree.size();
            }
            seconds += processor_seconds() - start;
            bytes += page.size();
        }
        best = std::max(best, static_cast<double>(bytes) / 1e6 / seconds);
    }
    std::printf("%zu pages, %.1f MB, %zu nodes: %.0f MB/s (best of %d rounds)\n", pages.size(),
                static_cast<double>(bytes) / 1e6, nodes, best, rounds);
    return pages.empty() ? 1 : 0;
}
