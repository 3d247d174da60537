// How fast the embedded index is filled and asked, and what it takes. Texts are made up: words as frequent as
// in real text (Zipf), 120 to a chunk, ten chunks to a page, with vectors that lie in clusters. FTS5 beside
// it, on request.
//
//   index_bench [--chunks N] [--dimensions D] [--folder PATH] [--fts5]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>
#include <malloc.h>
#include <time.h>

#include "db/sqlite.h"
#include "index/embedded/embedded_index.h"

namespace {

using namespace quarry;
using namespace quarry::index;
using SteadyClock = std::chrono::steady_clock;

struct Options {
    int chunks = 100'000;
    int dimensions = 256;
    std::string folder = "index-bench";
    bool with_fts5 = false;
};

constexpr int words_per_chunk = 120, chunks_per_page = 10, chunks_per_batch = 1'000;
constexpr int vocabulary = 600'000;
constexpr int stop_words = 120;  // the most frequent, which no question has
constexpr int questions = 300;

double seconds_since(SteadyClock::time_point start) {
    return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

// Of this thread: what a search costs does not depend on who else has the machine.
double processor_seconds() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

double resident_megabytes() {
    ::malloc_trim(0);
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) / 1024;
    }
    return 0;
}

// Texts by number: the same number gives the same text.
class Texts {
public:
    explicit Texts(int dimensions) : dimensions_(dimensions) {
        double sum = 0;
        for (int rank = 0; rank < vocabulary; ++rank) sums_.push_back(sum += 1 / std::pow(rank + 2.7, 1.05));
        std::mt19937 random(1);
        std::normal_distribution<float> normal;
        centres_.resize(200);
        for (auto& centre : centres_) {
            centre.resize(static_cast<std::size_t>(dimensions));
            for (float& value : centre) value = normal(random);
        }
    }

    // The word's rank is in its letters, and rare words are longer.
    static std::string word(int rank) {
        std::string letters;
        for (int rest = rank; rest > 0 || letters.size() < 3; rest /= 14) {
            letters += "bdfgklmnprstvz"[rest % 14];
            letters += "aeiou"[(rest / 14 + rank) % 5];
        }
        return letters;
    }

    std::vector<int> ranks(int chunk) const {
        std::mt19937 random(static_cast<unsigned>(chunk) * 2'654'435'761u + 5);
        std::uniform_real_distribution<double> uniform(0, sums_.back());
        std::vector<int> drawn;
        for (int at = 0; at < words_per_chunk; ++at) {
            drawn.push_back(
                static_cast<int>(std::ranges::lower_bound(sums_, uniform(random)) - sums_.begin()));
        }
        return drawn;
    }

    IndexedChunk chunk(int number) const {
        IndexedChunk made;
        std::vector<int> drawn = ranks(number);
        auto letters = std::make_shared<std::string>();
        for (const int rank : drawn) made.chunk.text.append(word(rank)).append(" ");
        std::ranges::sort(drawn);
        std::vector<std::pair<std::size_t, std::uint32_t>> ends;
        for (std::size_t at = 0; at < drawn.size();) {
            const auto next = std::ranges::upper_bound(drawn, drawn[at]) - drawn.begin();
            letters->append(word(drawn[at]));
            ends.emplace_back(letters->size(), static_cast<std::uint32_t>(next - static_cast<long>(at)));
            at = static_cast<std::size_t>(next);
        }
        std::size_t begin = 0;
        for (const auto& [end, count] : ends) {
            made.terms.counts.push_back({std::string_view(*letters).substr(begin, end - begin), count});
            begin = end;
        }
        made.terms.letters = letters;
        made.terms.length = words_per_chunk;
        made.chunk.headings = {"A page", "A section"};
        made.vector = vector(number);
        return made;
    }

    std::vector<float> vector(int number) const {
        std::mt19937 random(static_cast<unsigned>(number) + 99);
        std::normal_distribution<float> normal;
        std::vector<float> made = centres_[random() % centres_.size()];
        for (float& value : made) value += normal(random);
        return made;
    }

    // Three to eight words of a chunk, none of the most frequent.
    std::vector<std::string> question(int number, int chunks) const {
        std::mt19937 random(static_cast<unsigned>(number) * 7 + 3);
        const std::size_t wanted = 3 + random() % 6;
        std::vector<std::string> words;
        for (const int rank : ranks(static_cast<int>(random() % static_cast<unsigned>(chunks)))) {
            if (rank < stop_words) continue;
            words.push_back(word(rank));
            if (words.size() == wanted) break;
        }
        return words;
    }

private:
    int dimensions_;
    std::vector<double> sums_;
    std::vector<std::vector<float>> centres_;
};

void print(const char* what, const std::string& value) {
    fmt::print("| {:<36} | {:>42} |\n", what, value);
    std::fflush(stdout);
}

template <typename T>
T must(Result<T> result) {
    if (result) {
        if constexpr (std::is_void_v<T>) {
            return;
        } else {
            return *std::move(result);
        }
    }
    fmt::print(stderr, "error: {}\n", result.error().message);
    std::exit(2);
}

void measure(const char* what, int count, const std::function<void(int)>& ask) {
    for (int at = 0; at < std::min(count, 20); ++at) ask(at);
    std::vector<double> times, processor;
    for (int at = 0; at < count; ++at) {
        const auto start = SteadyClock::now();
        const double before = processor_seconds();
        ask(at);
        times.push_back(seconds_since(start) * 1'000);
        processor.push_back((processor_seconds() - before) * 1'000);
    }
    std::ranges::sort(times);
    std::ranges::sort(processor);
    const std::size_t half = times.size() / 2, last = times.size() * 99 / 100;
    print(what, fmt::format("{:.2f} / {:.2f} ms, CPU {:.2f} / {:.2f} ms", times[half], times[last],
                            processor[half], processor[last]));
}

void fill(EmbeddedIndex& index, const Texts& texts, const Options& options) {
    must(index.set_embedder("default", {.provider = "tei", .model = "m", .dimensions = options.dimensions}));
    double spent = 0, longest = 0, processor = 0;
    for (int chunk = 0; chunk < options.chunks;) {
        std::vector<IndexedPage> pages;
        for (int page = 0; page < chunks_per_batch / chunks_per_page; ++page) {
            IndexedPage made{.page = PageId{chunk / chunks_per_page + 1}, .version = 1};
            made.label.path = fmt::format("/some/folder/page-{}.html", chunk);
            made.label.host = fmt::format("host{}.example", chunk / 20'000);
            made.label.url = "https://" + made.label.host + made.label.path;
            made.label.title = "A page with a title";
            made.label.language = "en";
            for (int at = 0; at < chunks_per_page; ++at) made.chunks.push_back(texts.chunk(chunk++));
            pages.push_back(std::move(made));
        }
        const auto start = SteadyClock::now();
        const double before = processor_seconds();
        must(index.replace("default", std::move(pages)));
        const double took = seconds_since(start);
        processor += processor_seconds() - before;
        spent += took;
        longest = std::max(longest, took);
    }
    print("indexing, batches of 1,000", fmt::format("{:.0f} chunks/s, {:.0f} per CPU second",
                                                    options.chunks / spent, options.chunks / processor));
    print("longest replace()", fmt::format("{:.0f} ms", longest * 1'000));
    const auto start = SteadyClock::now();
    must(index.settle());
    print("settle()", fmt::format("{:.2f} s", seconds_since(start)));
}

void ask(EmbeddedIndex& index, const Texts& texts, const Options& options) {
    std::vector<Scored> found;
    const auto match = [&](const Filter& filter) {
        return [&, filter](int number) {
            KeywordQuery query;
            for (std::string& word : texts.question(number, options.chunks)) {
                query.words.push_back({std::move(word), 1});
            }
            found = must(index.match("default", query, filter, 100));
        };
    };
    measure("match(), best 100, p50 / p99", questions, match({}));
    measure("match(), one host, p50 / p99", questions, match({.host = "host1.example"}));
    const auto nearest = [&](const Filter& filter) {
        return [&, filter](int number) {
            const auto vector = texts.vector(number * 17);
            found = must(index.nearest("default", vector, filter, 100));
        };
    };
    measure("nearest(), best 100, p50 / p99", questions, nearest({}));
    measure("nearest(), one host, p50 / p99", questions, nearest({.host = "host1.example"}));
    std::vector<ChunkRef> refs;
    for (const Scored& hit : found) refs.push_back(hit.chunk);
    refs.resize(std::min<std::size_t>(refs.size(), 10));
    measure("read(), 10 chunks, p50 / p99", 100, [&](int) { must(index.read("default", refs)); });
    measure("similar_words(), p50 / p99", 20,
            [&](int number) { must(index.similar_words("default", Texts::word(5'000 + number) + "x", 5)); });
}

// What FTS5 takes for the same: an OR of the words, best 100 by its bm25().
void ask_fts5(const Texts& texts, const Options& options) {
    const std::string path = options.folder + "/fts5.db";
    db::Connection connection = must(db::Connection::open(path, db::Access::create));
    must(connection.execute(R"sql(
        PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -32768;
        CREATE VIRTUAL TABLE t USING fts5(text, content = '', detail = none))sql"));
    {
        db::Statement insert = must(connection.prepare("INSERT INTO t(rowid, text) VALUES(?1, ?2)"));
        double spent = 0, processor = 0;
        for (int chunk = 0; chunk < options.chunks;) {
            std::vector<std::string> made;
            for (int at = 0; at < chunks_per_batch; ++at) made.push_back(texts.chunk(chunk + at).chunk.text);
            const auto start = SteadyClock::now();
            const double before = processor_seconds();
            must(connection.execute("BEGIN"));
            for (const std::string& text : made) must(insert.bind(chunk++, text).run());
            must(connection.execute("COMMIT"));
            spent += seconds_since(start);
            processor += processor_seconds() - before;
        }
        print("FTS5: indexing, words alone", fmt::format("{:.0f} chunks/s, {:.0f} per CPU second",
                                                         options.chunks / spent, options.chunks / processor));
    }
    db::Statement match =
        must(connection.prepare("SELECT rowid FROM t WHERE t MATCH ?1 ORDER BY rank LIMIT 100"));
    measure("FTS5: match, best 100, p50 / p99", 60, [&](int number) {
        std::string query;
        for (const std::string& word : texts.question(number, options.chunks)) {
            query += (query.empty() ? "" : " OR ") + word;
        }
        must(match.bind(query).run());
    });
}

Options read_options(int count, char** arguments) {
    Options options;
    for (int at = 1; at < count; ++at) {
        const std::string_view name = arguments[at];
        if (name == "--fts5") {
            options.with_fts5 = true;
        } else if (at + 1 < count && name == "--chunks") {
            options.chunks = std::atoi(arguments[++at]) / chunks_per_batch * chunks_per_batch;
        } else if (at + 1 < count && name == "--dimensions") {
            options.dimensions = std::atoi(arguments[++at]);
        } else if (at + 1 < count && name == "--folder") {
            options.folder = arguments[++at];
        }
    }
    return options;
}

}  // namespace

int main(int count, char** arguments) {
    const Options options = read_options(count, arguments);
    std::filesystem::remove_all(options.folder);
    std::filesystem::create_directories(options.folder);
    const std::string path = options.folder + "/index.db";
    const Texts texts(options.dimensions);
    print("chunks", fmt::format("{}", options.chunks));
    {
        const auto index = must(open_embedded_index({.path = path}));
        fill(*index, texts, options);
    }
    print("file", fmt::format("{:.0f} MB", static_cast<double>(std::filesystem::file_size(path)) / 1e6));
    const double before = resident_megabytes();
    const auto start = SteadyClock::now();
    const auto index = must(open_embedded_index({.path = path}));
    print("open", fmt::format("{:.0f} ms", seconds_since(start) * 1'000));
    print("memory when opened, more than before", fmt::format("{:.0f} MB", resident_megabytes() - before));
    ask(*index, texts, options);
    print("memory after the questions", fmt::format("{:.0f} MB", resident_megabytes() - before));
    if (options.with_fts5) ask_fts5(texts, options);
}
