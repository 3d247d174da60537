// The quality of main-content selection is a promise: a drop below these floors fails. The pages are a part
// of public sets, so the floors lie a little below what was measured on exactly these pages.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <zlib.h>

#include "extract/content/main_content.h"
#include "extract/plain_text.h"
#include "html/parser.h"

namespace {

using namespace quarry;

const std::string data_folder = QUARRY_SUITES "/bench/extraction/data/";

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string read_gzip(const std::string& path) {
    std::string text;
    const gzFile file = gzopen(path.c_str(), "rb");
    char buffer[65536];
    for (int count = 0; (count = gzread(file, buffer, sizeof buffer)) > 0;)
        text.append(buffer, static_cast<std::size_t>(count));
    gzclose(file);
    return text;
}

// Words as in the published metrics: letters, digits, underscores; what lies beyond ASCII is taken for
// letters, but for the blocks of punctuation that pages use.
bool is_word_byte(std::string_view text, std::size_t at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte < 0x80) return std::isalnum(byte) != 0 || byte == '_';
    return true;
}

std::size_t punctuation_length(std::string_view text, std::size_t at) {
    const std::string_view lead = text.substr(at, 2);
    if (lead == "\xE2\x80" || lead == "\xE2\x81" || lead == "\xE3\x80") return 3;
    return !lead.empty() && lead[0] == '\xC2' ? 2 : 0;
}

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words(1);
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t skipped = punctuation_length(text, at);
        if (skipped == 0 && is_word_byte(text, at)) {
            words.back() += text[at++];
        } else {
            at += skipped == 0 ? 1 : skipped;
            if (!words.back().empty()) words.emplace_back();
        }
    }
    if (words.back().empty()) words.pop_back();
    return words;
}

using Counts = std::map<std::string, int>;

Counts count_runs(std::string_view text, std::size_t length) {
    const std::vector<std::string> words = words_of(text);
    Counts counts;
    for (std::size_t at = 0; at + std::min(length, words.size()) <= words.size() && !words.empty(); ++at) {
        std::string run;
        for (std::size_t word = at; word < std::min(at + length, words.size()); ++word)
            run += words[word] + ' ';
        ++counts[run];
    }
    return counts;
}

struct Overlap {
    double precision = 0, recall = 0;
    double f1() const { return precision + recall == 0 ? 0 : 2 * precision * recall / (precision + recall); }
};

Overlap compare(std::string_view truth, std::string_view found, std::size_t run_length) {
    const Counts wanted = count_runs(truth, run_length), got = count_runs(found, run_length);
    double both = 0, wanted_total = 0, got_total = 0;
    for (const auto& [run, count] : wanted) {
        wanted_total += count;
        const auto match = got.find(run);
        if (match != got.end()) both += std::min(count, match->second);
    }
    for (const auto& [run, count] : got) got_total += count;
    return {got_total == 0 ? 0 : both / got_total, wanted_total == 0 ? 0 : both / wanted_total};
}

struct ScoredPage {
    std::string type;
    std::string truth;
    std::string found;
};

std::vector<ScoredPage> extract_set(const std::string& name) {
    std::vector<ScoredPage> pages;
    const std::string folder = data_folder + name;
    const boost::json::value truth = boost::json::parse(read_file(folder + "/truth.json"));
    for (const auto& entry : truth.as_object()) {
        const boost::json::object& page = entry.value().as_object();
        const html::Tree tree =
            html::parse(read_gzip(folder + "/pages/" + std::string(entry.key()) + ".html.gz"));
        const boost::json::value& text = page.at("text");
        if (!text.is_string()) continue;
        pages.push_back({std::string(page.at("type").as_string()), std::string(text.as_string()),
                         extract::to_plain_text(tree, extract::select_main_content(tree))});
    }
    return pages;
}

bool has_data() {
    if (std::filesystem::exists(data_folder)) return true;
    MESSAGE("skipped: no extraction data at " << data_folder);
    return false;
}

// The metric of the article benchmark: runs of four words, precision and recall averaged over pages.
double shingle_f1(const std::vector<ScoredPage>& pages) {
    Overlap mean;
    for (const ScoredPage& page : pages) {
        const Overlap overlap = compare(page.truth, page.found, 4);
        mean.precision += overlap.precision / static_cast<double>(pages.size());
        mean.recall += overlap.recall / static_cast<double>(pages.size());
    }
    return mean.f1();
}

std::string lower(std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
}

}  // namespace

TEST_CASE("articles and documentation keep their extraction quality") {
    if (!has_data()) return;
    CHECK(shingle_f1(extract_set("aeb")) > 0.970);
    CHECK(shingle_f1(extract_set("docsgen")) > 0.978);
}

TEST_CASE("every kind of page keeps its extraction quality") {
    if (!has_data()) return;
    const std::map<std::string, double> floors{
        {"article", 0.95}, {"collection", 0.80}, {"documentation", 0.955}, {"forum", 0.85},
        {"listing", 0.82}, {"product", 0.82},    {"service", 0.91}};
    std::map<std::string, std::vector<double>> scores;
    for (const ScoredPage& page : extract_set("wcxb")) {
        scores[page.type].push_back(compare(lower(page.truth), lower(page.found), 1).f1());
    }
    for (const auto& [type, floor] : floors) {
        double sum = 0;
        for (const double score : scores[type]) sum += score;
        CAPTURE(type);
        CHECK(sum / static_cast<double>(scores[type].size()) > floor);
    }
}
