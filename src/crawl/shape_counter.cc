#include "crawl/traps.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string_view>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/ascii.h"
#include "crawl/crawl_traps.h"

namespace quarry::crawl {

namespace {

constexpr std::size_t most_shapes = 1 << 16;
constexpr std::size_t most_sketches = 1 << 12;
constexpr int calls_before_sketch = 64;

// The path with every number as one digit. What lies behind its first kilobyte makes no difference.
std::uint64_t path_shape(std::string_view path) {
    std::array<char, 1024> form;
    std::size_t size = 0;
    for (std::size_t at = 0; at < path.size() && size < form.size(); ++at) {
        const bool digit = is_ascii_digit(path[at]);
        if (digit && at > 0 && is_ascii_digit(path[at - 1])) continue;
        form[size++] = digit ? '0' : path[at];
    }
    return XXH3_64bits(form.data(), size);
}

// A sum, so that the order of parameters makes no difference.
std::uint64_t shape_of(const url::Url& url) {
    std::uint64_t shape = path_shape(url.path()) ^ XXH3_64bits(url.host().data(), url.host().size());
    std::string_view query = url.query().value_or("");
    while (!query.empty()) {
        const std::string_view name = query.substr(0, query.find_first_of("=&"));
        shape += XXH3_64bits_withSeed(name.data(), name.size(), 1);
        query.remove_prefix(std::min(query.find('&'), query.size() - 1) + 1);
    }
    return shape;
}

}  // namespace

void ShapeCounter::Sketch::add(const UrlKey& key) {
    std::uint8_t& rank = ranks[key.low & 255];
    const auto seen = static_cast<std::uint8_t>(std::countl_zero(key.high) + 1);
    if (seen <= rank) return;
    rank = seen;
    // Flajolet et al. 2007: a harmonic mean of the ranks, and below 2.5 keys per rank, how many are unused.
    constexpr double count = 256, bias = 0.7213 / (1 + 1.079 / count);
    double sum = 0, unused = 0;
    for (const std::uint8_t each : ranks) {
        sum += std::ldexp(1.0, -each);
        unused += each == 0 ? 1 : 0;
    }
    const double raw = bias * count * count / sum;
    const bool few = raw <= 2.5 * count && unused > 0;
    estimate = static_cast<int>(std::min(few ? count * std::log(count / unused) : raw, 1e9));
}

int ShapeCounter::limit_for(const url::Url& url) const {
    if (is_calendar(url)) return limits_.calendar;
    const int parameters = parameter_count(url);
    if (parameters == 0) return 0;
    return limits_.by_parameters[static_cast<std::size_t>(std::min(parameters, 4)) - 1];
}

bool ShapeCounter::admit(const url::Url& url, const UrlKey& key) {
    const int limit = limit_for(url);
    if (limit == 0) return true;
    const std::uint64_t hash = shape_of(url);
    auto found = shapes_.find(hash);
    if (found == shapes_.end()) {
        if (shapes_.size() == most_shapes) return true;
        found = shapes_.try_emplace(hash).first;
    }
    Shape& shape = found->second;
    if (!shape.sketch) {
        if (++shape.calls < std::min(calls_before_sketch, limit) || sketches_ == most_sketches) return true;
        shape.sketch = std::make_unique<Sketch>();
        ++sketches_;
    }
    if (shape.sketch->estimate >= limit) return false;
    shape.sketch->add(key);
    return true;
}

}  // namespace quarry::crawl
