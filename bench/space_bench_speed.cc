// What the builtin space and the vectors' half of search cost. usage: space_speed_bench CHUNKS.jsonl
// [DIMENSIONS] CHUNKS.jsonl is what retrieval/make_chunks writes. Prints, in seconds and milliseconds of the
// processor, one thread:
//   fit       a space on 65,536 chunks spread over the file, and the memory it took above what was there
//   fold in   chunks per second, counting their terms included
//   nearest   a scan of sign bits with an exact look at the candidates, per query, and which share of the
//             ten nearest it finds. The queries are sentences of chunks, with words left out.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <numeric>
#include <stop_token>
#include <string>
#include <vector>

#include <boost/json.hpp>
#include <time.h>

#include "embed/space/space.h"
#include "index/embedded/signs.h"
#include "index/embedded/vectors.h"
#include "text/terms/terms.h"

using namespace quarry;

namespace {

constexpr std::size_t sample_chunks = 65'536, queries_asked = 100;

double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

// VmHWM or VmRSS of /proc/self/status, in MB.
double memory_megabytes(const std::string& name) {
    std::ifstream in("/proc/self/status");
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with(name + ":")) return std::atof(line.c_str() + name.size() + 1) / 1024;
    }
    return 0;
}

void forget_peak() {
    std::ofstream("/proc/self/clear_refs") << "5";
}

struct Line {
    std::string title{}, text{};
};

void for_each_chunk(const char* path, const std::function<void(std::size_t, const std::string&)>& use) {
    std::ifstream in(path);
    std::size_t number = 0;
    for (std::string line; std::getline(in, line);) use(number++, line);
}

Line parse(const std::string& line) {
    const boost::json::value value = boost::json::parse(line);
    return {std::string(value.at("title").as_string()), std::string(value.at("text").as_string())};
}

text::TermBag terms_of(const Line& line, text::TermReader& reader) {
    return reader.count(std::array<std::string_view, 2>{line.title, line.text});
}

embed::Space fit(const char* path, std::size_t chunks, int dimensions) {
    const std::size_t stride = std::max<std::size_t>(1, chunks / sample_chunks);
    forget_peak();
    const double before = memory_megabytes("VmRSS");
    embed::SpaceFit fit({.dimensions = dimensions});
    text::TermReader reader;
    double terms_seconds = 0;
    for_each_chunk(path, [&](std::size_t number, const std::string& line) {
        if (number % stride != 0) return;
        const Line chunk = parse(line);
        const double start = processor_seconds();
        fit.add(terms_of(chunk, reader));
        terms_seconds += processor_seconds() - start;
    });
    const double start = processor_seconds();
    auto space = fit.finish(std::stop_token{});
    const double fit_seconds = processor_seconds() - start;
    if (!space) {
        std::fprintf(stderr, "error: %s\n", space.error().message.c_str());
        std::exit(2);
    }
    std::printf("fit       %.1f s, and %.1f s to count terms; %.0f MB at most; %.1f MB written\n",
                fit_seconds, terms_seconds, memory_megabytes("VmHWM") - before,
                static_cast<double>(space->serialise().size()) / 1e6);
    return *std::move(space);
}

// The vectors of all chunks, one after the other. A chunk of unknown words has zeros.
std::vector<float> fold_in_all(const char* path, const embed::Space& space) {
    std::vector<float> vectors;
    text::TermReader reader;
    double seconds = 0;
    std::size_t chunks = 0;
    for_each_chunk(path, [&](std::size_t, const std::string& line) {
        const Line chunk = parse(line);
        const double start = processor_seconds();
        std::vector<float> vector = space.fold_in(terms_of(chunk, reader));
        seconds += processor_seconds() - start;
        vector.resize(static_cast<std::size_t>(space.dimensions()));
        vectors.insert(vectors.end(), vector.begin(), vector.end());
        ++chunks;
    });
    std::printf("fold in   %.0f chunks/s\n", static_cast<double>(chunks) / seconds);
    return vectors;
}

// A sentence from the middle of a chunk, without every third of its words.
std::vector<std::vector<float>> make_queries(const char* path, const embed::Space& space,
                                             std::size_t chunks) {
    std::vector<std::vector<float>> queries;
    text::TermReader reader;
    for_each_chunk(path, [&](std::size_t number, const std::string& line) {
        if (number % (chunks / queries_asked) != 0) return;
        const std::string text = parse(line).text;
        const std::size_t middle = text.find_first_of(".\n", text.size() / 3);
        if (middle == std::string::npos) return;
        std::string question;
        int word = 0;
        for (const char c : text.substr(middle, 120)) {
            word += c == ' ';
            if (word % 3 != 2) question += c;
        }
        auto query = space.fold_in(reader.count(std::array<std::string_view, 1>{question}));
        if (!query.empty()) queries.push_back(std::move(query));
    });
    return queries;
}

class VectorLeg {
public:
    VectorLeg(std::vector<float> vectors, std::size_t dimensions)
        : dimensions_(dimensions), vectors_(std::move(vectors)), bits_(dimensions) {
        for (std::uint32_t slot = 0; slot < vectors_.size() / dimensions; ++slot) {
            const index::Int8Vector quantised = index::quantise(vector(slot));
            bits_.set(slot, vector(slot));
            rows_.insert(rows_.end(), quantised.values.begin(), quantised.values.end());
            scales_.push_back(quantised.scale);
        }
    }

    double megabytes() const { return static_cast<double>(bits_.memory_bytes()) / 1e6; }

    float cosine(const std::vector<float>& query, std::uint32_t slot) const {
        const std::span<const float> other = vector(slot);
        return std::inner_product(other.begin(), other.end(), query.begin(), 0.0F);
    }

    std::vector<std::uint32_t> exact(const std::vector<float>& query) const {
        std::vector<std::pair<float, std::uint32_t>> scored(vectors_.size() / dimensions_);
        for (std::uint32_t slot = 0; slot < scored.size(); ++slot) {
            scored[slot] = {cosine(query, slot), slot};
        }
        return best_ten(std::move(scored));
    }

    std::vector<std::uint32_t> nearest(const std::vector<float>& query, std::size_t candidates) const {
        const index::Int8Vector quantised = index::quantise(query);
        std::vector<std::pair<float, std::uint32_t>> scored;
        for (const index::SignCandidate& candidate : bits_.nearest(query, candidates)) {
            const std::span row(rows_.data() + candidate.slot * dimensions_, dimensions_);
            scored.emplace_back(
                static_cast<float>(index::dot(row, quantised.values)) * scales_[candidate.slot],
                candidate.slot);
        }
        return best_ten(std::move(scored));
    }

private:
    std::span<const float> vector(std::uint32_t slot) const {
        return {vectors_.data() + slot * dimensions_, dimensions_};
    }

    static std::vector<std::uint32_t> best_ten(std::vector<std::pair<float, std::uint32_t>> scored) {
        const std::size_t kept = std::min<std::size_t>(scored.size(), 10);
        std::ranges::partial_sort(scored, scored.begin() + static_cast<std::ptrdiff_t>(kept), std::greater{});
        std::vector<std::uint32_t> slots;
        for (std::size_t i = 0; i < kept; ++i) slots.push_back(scored[i].second);
        return slots;
    }

    std::size_t dimensions_;
    std::vector<float> vectors_;
    index::SignBits bits_;
    std::vector<std::int8_t> rows_{};
    std::vector<float> scales_{};
};

// Chunks that are copies of each other are equally near: any of them will do.
std::size_t hits_among(const VectorLeg& leg, const std::vector<float>& query, float tenth,
                       const std::vector<std::uint32_t>& slots) {
    return static_cast<std::size_t>(std::ranges::count_if(
        slots, [&](std::uint32_t slot) { return leg.cosine(query, slot) >= tenth - 1e-6F; }));
}

void measure_nearest(const VectorLeg& leg, const std::vector<std::vector<float>>& queries) {
    std::vector<float> tenth;
    for (const std::vector<float>& query : queries)
        tenth.push_back(leg.cosine(query, leg.exact(query).back()));
    std::printf("nearest   %zu queries, %.1f MB of sign bits\n", queries.size(), leg.megabytes());
    for (const std::size_t candidates : {50, 100, 200, 400, 800}) {
        std::size_t found = 0;
        double seconds = 0;
        for (std::size_t i = 0; i < queries.size(); ++i) {
            const double start = processor_seconds();
            const std::vector<std::uint32_t> slots = leg.nearest(queries[i], candidates);
            seconds += processor_seconds() - start;
            found += hits_among(leg, queries[i], tenth[i], slots);
        }
        const auto asked = static_cast<double>(queries.size());
        std::printf("%6zu candidates: %.2f ms, recall@10 %.4f\n", candidates, seconds * 1e3 / asked,
                    static_cast<double>(found) / (10 * asked));
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fputs("usage: space_speed_bench CHUNKS.jsonl [DIMENSIONS]\n", stderr);
        return 2;
    }
    const int dimensions = argc > 2 ? std::atoi(argv[2]) : embed::SpaceOptions{}.dimensions;
    std::size_t chunks = 0;
    for_each_chunk(argv[1], [&](std::size_t number, const std::string&) { chunks = number + 1; });
    const embed::Space space = fit(argv[1], chunks, dimensions);
    const std::vector<std::vector<float>> queries = make_queries(argv[1], space, chunks);
    measure_nearest(VectorLeg(fold_in_all(argv[1], space), static_cast<std::size_t>(dimensions)), queries);
}
