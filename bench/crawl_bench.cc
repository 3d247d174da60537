// What a crawl's rules cost on real pages. usage: crawl_bench FOLDER [ROUNDS]
// Extracts every .html file of the folder as if it came from a server, then admits the links of all pages
// and hashes their texts, ROUNDS times over (default 5). Extraction is not part of the times, which are the
// processor's.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <unordered_set>
#include <vector>

#include <time.h>

#include "crawl/admission.h"
#include "crawl/near_duplicates.h"
#include "extract/extract.h"

using namespace quarry;
using namespace quarry::crawl;

namespace {

struct Loaded {
    url::Url url;
    Document document;
};

std::vector<Loaded> load(const std::filesystem::path& folder) {
    std::vector<Loaded> pages;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (entry.path().extension() != ".html") continue;
        std::ifstream in(entry.path(), std::ios::binary);
        Page page{.url = "https://docs.example/" + entry.path().lexically_relative(folder).string(),
                  .status = 200,
                  .content_type = "text/html"};
        page.final_url = page.url;
        page.body = {std::istreambuf_iterator<char>(in), {}};
        auto document =
            extract::extract(page, {.formats = {.links = true}, .when_empty = extract::WhenEmpty::keep});
        if (document) pages.push_back({url::Url::parse(page.url).value(), std::move(*document)});
    }
    return pages;
}

double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

struct KeyHash {
    std::size_t operator()(const UrlKey& key) const { return key.low; }
};

// The whole crawl's admission, from nothing known to everything known. Returns seconds.
double admit_all(const std::vector<Loaded>& pages, const Scope& scope, std::size_t slots,
                 std::size_t& found) {
    std::unordered_set<UrlKey, KeyHash> known;
    Guarded<ShapeCounter> shapes;
    LinkJudge judge(scope, {}, slots);
    Admission admission(judge,
                        {.known = [&](const UrlKey& key) { return known.contains(key); }, .shapes = &shapes});
    found = 0;
    const double start = processor_seconds();
    for (const Loaded& page : pages) {
        const Admitted admitted = admission.from_page(page.document, page.url, 1);
        found += admitted.found.size();
        for (const FoundUrl& url : admitted.found) known.insert(url.key);
    }
    return processor_seconds() - start;
}

void measure_admission(const std::vector<Loaded>& pages, int rounds, const char* name,
                       const CrawlOptions& options) {
    const Scope scope = Scope::create(options).value();
    std::size_t links = 0, found = 0;
    for (const Loaded& page : pages) links += page.document.links.size() + page.document.frames.size();
    for (const std::size_t slots : {std::size_t{0}, LinkJudge::usual_slots}) {
        double best = 1e9;
        for (int round = 0; round < rounds; ++round)
            best = std::min(best, admit_all(pages, scope, slots, found));
        std::printf("admit %-11s %-11s %6.2f us/page %6.0f ns/link (%zu pages, %zu links, %zu found)\n", name,
                    slots == 0 ? "forgetful" : "remembering", best * 1e6 / static_cast<double>(pages.size()),
                    best * 1e9 / static_cast<double>(links), pages.size(), links, found);
    }
}

void measure_parts(const std::vector<Loaded>& pages, const CrawlOptions& options) {
    const Scope scope = Scope::create(options).value();
    std::vector<url::Url> urls;
    std::size_t links = 0, yes = 0;
    const double start = processor_seconds();
    for (const Loaded& page : pages)
        for (const Link& link : page.document.links) urls.push_back(url::Url::parse(link.url).value());
    links = urls.size();
    const double parsed = processor_seconds();
    for (const url::Url& url : urls) yes += scope.check(url) == Belongs::yes ? 1 : 0;
    const double checked = processor_seconds();
    std::uint64_t sum = 0;
    for (const url::Url& url : urls) sum += url_key(url, {}).low;
    const double keyed = processor_seconds();
    const auto each = [&](double seconds) { return seconds * 1e9 / static_cast<double>(links); };
    std::printf("per link: parse %.0f ns, scope %.0f ns (%zu belong), key %.0f ns (%llx)\n",
                each(parsed - start), each(checked - parsed), yes, each(keyed - checked),
                static_cast<unsigned long long>(sum));
}

void measure_texts(const std::vector<Loaded>& pages, int rounds) {
    double best = 1e9;
    std::size_t bytes = 0;
    std::vector<std::uint64_t> hashes(pages.size());
    for (int round = 0; round < rounds; ++round) {
        bytes = 0;
        const double start = processor_seconds();
        for (std::size_t i = 0; i < pages.size(); ++i) {
            hashes[i] = simhash(pages[i].document.markdown);
            bytes += pages[i].document.markdown.size();
        }
        best = std::min(best, processor_seconds() - start);
    }
    NearDuplicates index;
    std::vector<std::pair<const Loaded*, UrlKey>> marked;
    const double start = processor_seconds();
    for (std::size_t i = 0; i < pages.size(); ++i)
        if (const auto near =
                index.add(hashes[i], pages[i].document.metadata.title, url_key(pages[i].url, {})))
            marked.emplace_back(&pages[i], *near);
    const double indexed = processor_seconds() - start;
    for (const auto& [page, original] : marked) {
        const auto same = [&](const Loaded& other) { return url_key(other.url, {}) == original; };
        std::printf("near: %s ~ %s\n", page->url.href().c_str(),
                    std::ranges::find_if(pages, same)->url.href().c_str());
    }
    std::printf("simhash %.0f MB/s, %.1f us/page; index %.2f us/page; %zu of %zu marked, %zu too short\n",
                static_cast<double>(bytes) / 1e6 / best, best * 1e6 / static_cast<double>(pages.size()),
                indexed * 1e6 / static_cast<double>(pages.size()), marked.size(), pages.size(),
                static_cast<std::size_t>(std::ranges::count(hashes, 0u)));
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fputs("usage: crawl_bench FOLDER [ROUNDS]\n", stderr);
        return 2;
    }
    const int rounds = argc > 2 ? std::atoi(argv[2]) : 5;
    const std::vector<Loaded> pages = load(argv[1]);
    if (pages.empty()) {
        std::fputs("crawl_bench: no .html files there\n", stderr);
        return 1;
    }
    const CrawlOptions usual{.urls = {"https://docs.example/"}};
    const CrawlOptions picky{.urls = {"https://docs.example/"},
                             .exclude_paths = {"/internal/", "^/old-.*\\.html$"}};
    measure_parts(pages, usual);
    measure_parts(pages, picky);
    measure_admission(pages, rounds, "usual", usual);
    measure_admission(pages, rounds, "expressions", picky);
    measure_texts(pages, rounds);
    return 0;
}
