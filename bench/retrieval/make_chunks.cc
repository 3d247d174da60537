// Makes a large collection out of real pages, for benches of search over a million chunks.
// usage: make_chunks COUNT FOLDER... > CHUNKS.jsonl
//
// Reads every .html file below the folders in order of their names, extracts and splits them as indexing
// does, writes a line {"_id","title","text"} per chunk. When there are no more, it goes round again with
// variations, until there are COUNT lines. A round n > 0 differs from the pages in three ways, all drawn from
// a fixed seed:
//   - every identifier (a word with a capital, digit or underscore inside) becomes another identifier of the
//     collection, the same one throughout the round: other subjects, the same frequencies;
//   - sentences and lines are shuffled;
//   - each of them is replaced with a chance of one in four by one of another chunk: passages are mixed.
// So terms are as frequent as in real text, and no two chunks are alike that were not so before.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <boost/json.hpp>

#include "extract/extract.h"
#include "text/chunks/chunk_markdown.h"

namespace {

struct Passage {
    std::string title{};
    std::string text{};
};

bool is_word_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// A capital at the start may only begin a sentence.
bool is_identifier(std::string_view word) {
    return word.size() >= 3 && std::any_of(word.begin() + 1, word.end(), [](char c) {
               return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
           });
}

std::size_t word_end(std::string_view text, std::size_t begin) {
    while (begin < text.size() && is_word_byte(text[begin])) ++begin;
    return begin;
}

std::vector<std::filesystem::path> html_files(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (entry.path().extension() == ".html" && entry.is_regular_file()) files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
}

void append_passages(const std::filesystem::path& file, std::vector<Passage>& passages) {
    std::ifstream in(file, std::ios::binary);
    const quarry::Page page{.final_url = "http://site.example" + file.string(),
                            .status = 200,
                            .content_type = "text/html",
                            .body{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()}};
    const auto document = quarry::extract::extract(page, {.formats = {.markdown = true, .metadata = true}});
    if (!document) return;  // a page that only redirects has no text
    for (quarry::Chunk& chunk :
         quarry::text::chunk_markdown(document->markdown, document->metadata.title, {})) {
        std::string title;
        for (const std::string& heading : chunk.headings) title += (title.empty() ? "" : " > ") + heading;
        passages.push_back({std::move(title), std::move(chunk.text)});
    }
}

std::vector<std::string> identifiers_of(const std::vector<Passage>& passages) {
    std::unordered_set<std::string> seen;
    for (const Passage& passage : passages) {
        const std::string_view text = passage.text;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = word_end(text, at);
            if (is_identifier(text.substr(at, end - at))) seen.emplace(text.substr(at, end - at));
            at = end + 1;
        }
    }
    std::vector<std::string> sorted(seen.begin(), seen.end());
    std::ranges::sort(sorted);
    return sorted;
}

std::vector<std::string_view> sentences_of(std::string_view text) {
    std::vector<std::string_view> sentences;
    std::size_t begin = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '\n' && !(text[at] == ' ' && at > 0 && text[at - 1] == '.')) continue;
        if (at > begin) sentences.push_back(text.substr(begin, at - begin));
        begin = at + 1;
    }
    if (begin < text.size()) sentences.push_back(text.substr(begin));
    return sentences;
}

// FNV-1a: the same on every machine, unlike std::hash.
std::uint64_t hash_of(std::string_view word, std::uint64_t round) {
    std::uint64_t hash = 0xcbf29ce484222325 ^ (round * 0x9e3779b97f4a7c15);
    for (const char c : word) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return hash ^ (hash >> 29);
}

class Variations {
public:
    explicit Variations(const std::vector<Passage>& passages)
        : passages_(passages), identifiers_(identifiers_of(passages)) {}

    Passage vary(const Passage& passage, std::uint64_t round) {
        std::vector<std::string_view> sentences = sentences_of(passage.text);
        std::ranges::shuffle(sentences, random_);
        std::string mixed;
        for (const std::string_view sentence : sentences) {
            const std::vector<std::string_view> others =
                random_() % 4 == 0 ? sentences_of(passages_[random_() % passages_.size()].text)
                                   : std::vector<std::string_view>{};
            mixed += others.empty() ? sentence : others[random_() % others.size()];
            mixed += '\n';
        }
        return {renamed(passage.title, round), renamed(mixed, round)};
    }

private:
    std::string renamed(std::string_view text, std::uint64_t round) const {
        std::string result;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = word_end(text, at);
            const std::string_view word = text.substr(at, end - at);
            result += is_identifier(word) ? identifiers_[hash_of(word, round) % identifiers_.size()] : word;
            if (end < text.size()) result += text[end];
            at = end + 1;
        }
        return result;
    }

    const std::vector<Passage>& passages_;
    std::vector<std::string> identifiers_;
    std::mt19937_64 random_{1};
};

void write_line(std::uint64_t round, std::size_t number, const Passage& passage) {
    const boost::json::object line{{"_id", std::to_string(round) + "-" + std::to_string(number)},
                                   {"title", passage.title},
                                   {"text", passage.text}};
    const std::string text = boost::json::serialize(line);
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fputc('\n', stdout);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fputs("usage: make_chunks COUNT FOLDER... > CHUNKS.jsonl\n", stderr);
        return 2;
    }
    const auto count = static_cast<std::size_t>(std::atoll(argv[1]));
    std::vector<Passage> passages;
    for (int i = 2; i < argc; ++i) {
        for (const std::filesystem::path& file : html_files(argv[i])) append_passages(file, passages);
    }
    if (passages.empty()) {
        std::fputs("error: no page with text below the folders\n", stderr);
        return 2;
    }
    std::fprintf(stderr, "%zu chunks of real pages\n", passages.size());
    Variations variations(passages);
    for (std::size_t written = 0; written < count; ++written) {
        const std::size_t number = written % passages.size();
        const std::uint64_t round = written / passages.size();
        write_line(round, number, round == 0 ? passages[number] : variations.vary(passages[number], round));
    }
}
