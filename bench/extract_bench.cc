// How fast pages become documents. usage: extract_bench [--rounds N] FOLDER...
// Reads every .html file below each folder, then extracts them one after the other on one thread, with the
// formats a crawl wants: markdown, links and metadata of the main content. Prints what the whole costs, and
// then, from a second pass that calls the stages one by one, which stage the time goes to. Times are the
// processor's, the best of N rounds (default 3), so that other work on the machine matters less.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <time.h>

#include "extract/client_rendered.h"
#include "extract/content/main_content.h"
#include "extract/content/page_view.h"
#include "extract/extract.h"
#include "extract/html_document.h"
#include "extract/markdown/markdown.h"
#include "extract/metadata/links.h"
#include "extract/metadata/metadata.h"
#include "html/encoding/encoding.h"
#include "html/parser.h"

namespace {

using quarry::Page;

constexpr quarry::extract::ExtractOptions crawl_options{
    .formats = {.markdown = true, .links = true, .metadata = true}};

std::vector<Page> read_pages(const std::filesystem::path& folder) {
    std::vector<Page> pages;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (entry.path().extension() != ".html" || !entry.is_regular_file()) continue;
        std::ifstream in(entry.path(), std::ios::binary);
        const std::string path = entry.path().lexically_relative(folder).string();
        pages.push_back({.final_url = "http://site.example/" + path,
                         .status = 200,
                         .content_type = "text/html",
                         .body{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()}});
    }
    std::ranges::sort(pages, {}, &Page::final_url);
    return pages;
}

double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

// Extracts all pages once; the documents' bytes are counted so that no work can be left out.
double extract_all(const std::vector<Page>& pages, std::size_t& markdown_bytes) {
    markdown_bytes = 0;
    const double start = processor_seconds();
    for (const Page& page : pages) {
        const auto document = quarry::extract::extract(page, crawl_options);
        if (document) markdown_bytes += document->markdown.size();
    }
    return processor_seconds() - start;
}

constexpr std::array stages{"decode",         "parse",    "page view", "judge blocks", "choose blocks",
                            "select content", "markdown", "links",     "metadata",     "language"};
using StageSeconds = std::array<double, stages.size()>;

// Gives each stage the time since the one before it.
class StageClock {
public:
    explicit StageClock(StageSeconds& seconds) : seconds_(seconds), last_(processor_seconds()) {}

    void done() {
        const double now = processor_seconds();
        seconds_[stage_++] += now - last_;
        last_ = now;
    }

private:
    StageSeconds& seconds_;
    double last_;
    std::size_t stage_ = 0;
};

// What html_document does, with a look at the clock after each stage.
void extract_in_stages(const Page& page, StageSeconds& seconds) {
    using namespace quarry::extract;
    StageClock clock(seconds);
    quarry::html::Decoded decoded = quarry::html::decode(page.body, {});
    clock.done();
    const quarry::html::Tree tree = quarry::html::parse(std::move(decoded.text));
    clock.done();
    const PageView view(tree);
    clock.done();
    const auto likely = judge_blocks(view);
    clock.done();
    const auto chosen = choose_blocks(view, likely);
    clock.done();
    const Selection selection = select_blocks(view, chosen);
    clock.done();
    const std::optional<quarry::url::Url> base_found = base_url(tree, page.final_url);
    const quarry::url::Url* base = base_found ? &*base_found : nullptr;
    quarry::Document document{.markdown = to_markdown(tree, selection, {.base = base})};
    clock.done();
    document.links = find_links(tree, base);
    document.frames = find_frames(tree, base);
    document.feeds = find_feeds(tree, base);
    clock.done();
    made_by_scripts(tree);
    document.metadata = read_metadata(tree, base, page.headers);
    clock.done();
    detect_missing_language(crawl_options, document);
    clock.done();
}

void report_whole(const std::string& folder, const std::vector<Page>& pages, int rounds) {
    std::size_t bytes = 0, markdown_bytes = 0;
    for (const Page& page : pages) bytes += page.body.size();
    double best = extract_all(pages, markdown_bytes);
    for (int round = 1; round < rounds; ++round) best = std::min(best, extract_all(pages, markdown_bytes));
    const auto count = static_cast<double>(pages.size());
    std::printf("%s: %zu pages, %.1f MB, %.1f MB of markdown\n", folder.c_str(), pages.size(),
                static_cast<double>(bytes) / 1e6, static_cast<double>(markdown_bytes) / 1e6);
    std::printf("  %-16s %8.4f s per 1,000 pages: %.0f pages/s, %.0f MB/s\n", "all", best / count * 1000,
                count / best, static_cast<double>(bytes) / 1e6 / best);
}

void report_stages(const std::vector<Page>& pages, int rounds) {
    StageSeconds best{};
    for (int round = 0; round < rounds; ++round) {
        StageSeconds seconds{};
        for (const Page& page : pages) extract_in_stages(page, seconds);
        for (std::size_t stage = 0; stage < stages.size(); ++stage) {
            best[stage] = round == 0 ? seconds[stage] : std::min(best[stage], seconds[stage]);
        }
    }
    for (std::size_t stage = 0; stage < stages.size(); ++stage) {
        std::printf("  %-16s %8.4f\n", stages[stage], best[stage] / static_cast<double>(pages.size()) * 1000);
    }
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::string> folders(argv + 1, argv + argc);
    int rounds = 3;
    if (folders.size() >= 2 && folders[0] == "--rounds") {
        std::from_chars(folders[1].data(), folders[1].data() + folders[1].size(), rounds);
        folders.erase(folders.begin(), folders.begin() + 2);
    }
    if (folders.empty()) {
        std::fputs("usage: extract_bench [--rounds N] FOLDER...\n", stderr);
        return 2;
    }
    for (const std::string& folder : folders) {
        const std::vector<Page> pages = read_pages(folder);
        if (pages.empty()) {
            std::fprintf(stderr, "error: no .html files below %s\n", folder.c_str());
            return 2;
        }
        report_whole(folder, pages, rounds);
        report_stages(pages, rounds);
    }
    return 0;
}
