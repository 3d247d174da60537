// How fast the HTML parser is on real pages. usage: html_bench FOLDER [ROUNDS]
// Parses every .html file of the folder, ROUNDS times over (default 5), on one core. Reading files and
// copying their bytes is not part of the time.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

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

}  // namespace

int main(int argc, char** argv) {
    using Clock = std::chrono::steady_clock;
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
        Clock::duration spent{};
        for (const std::string& page : pages) {
            std::string copy = page;
            const auto start = Clock::now();
            {
                const quarry::html::Tree tree = quarry::html::parse(std::move(copy));
                nodes += tree.size();
            }
            spent += Clock::now() - start;
            bytes += page.size();
        }
        const double seconds = std::chrono::duration<double>(spent).count();
        best = std::max(best, static_cast<double>(bytes) / 1e6 / seconds);
    }
    std::printf("%zu pages, %.1f MB, %zu nodes: %.0f MB/s (best of %d rounds)\n", pages.size(),
                static_cast<double>(bytes) / 1e6, nodes, best, rounds);
    return pages.empty() ? 1 : 0;
}
