// Traps that no single URL shows: one page in endless views of itself.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "model/frontier.h"
#include "url/url.h"

namespace quarry::crawl {

// Counts the distinct URLs of each shape. Two URLs have the same shape if they differ only in numbers in
// their path and in the values and order of their parameters: `/list/1?page=7&sort=up` has that of
// `/list/2?sort=a&page=1`. Only shapes that can be endless are counted: those with a query, and paths that
// end in a date. A site may have as many numbered pages as it likes.
//
// Distinct means by UrlKey: a link in the navigation of ten thousand pages counts once. The number is an
// estimate, mostly within a tenth. Memory is bounded at about 5 MB; shapes beyond that are let through, since
// a crawl's own limits bound it in any case. Used by one thread at a time.
class ShapeCounter {
public:
    // URLs per shape. Combinations grow with the number of parameters, and pages do not.
    struct Limits {
        std::array<int, 4> by_parameters{50'000, 10'000, 5'000, 1'000};  // with 1, 2, 3, and more
        int calendar = 5'000;                                            // daily for thirteen years
    };

    ShapeCounter() = default;
    explicit ShapeCounter(const Limits& limits) : limits_(limits) {}

    // Counts the URL, unless its shape has had enough: then false.
    bool admit(const url::Url& url, const UrlKey& key);

private:
    // A HyperLogLog sketch: how many distinct keys there were, in 256 bytes.
    struct Sketch {
        std::array<std::uint8_t, 256> ranks{};
        int estimate = 0;

        void add(const UrlKey& key);
    };
    struct Shape {
        int calls = 0;  // at least as many as distinct URLs: a rare shape needs no sketch
        std::unique_ptr<Sketch> sketch{};
    };

    int limit_for(const url::Url& url) const;  // 0: none

    Limits limits_;
    std::unordered_map<std::uint64_t, Shape> shapes_;
    std::size_t sketches_ = 0;
};

}  // namespace quarry::crawl
