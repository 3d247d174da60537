// Sites that never end: folders inside themselves, calendars without a last month, filters that can be
// combined without limit. is_trap tells what a URL shows by itself. ShapeCounter finds the traps that show
// only in the number of URLs: one page in endless views of itself. Both bound what a crawl wastes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "model/frontier.h"
#include "url/url.h"

namespace quarry::crawl {

// Sites that never end: folders inside themselves, calendars without a last month, filters that can be
// combined without limit. Here is what a URL tells by itself; what only shows in their number is in
// shape_counter.h. Both bound what a crawl wastes.

// More of anything than sane sites have in a URL.
inline constexpr std::size_t max_crawled_url_bytes = 2'000;  // servers and proxies begin to refuse there
inline constexpr int max_path_segments = 32;
inline constexpr int max_query_parameters = 8;

// Whether a URL shows by itself that it leads nowhere: it exceeds one of the limits above, its path repeats
// itself (/a/b/a/b/a/b, or a segment four times in a row), or it names a month from 2101 to 2199. A calendar
// is walked month by month, so that closing one century closes all behind it; years before are left alone,
// because history has pages.
bool is_trap(const url::Url& url);

// Whether the URL names a month, with nothing but numbers behind it, or has a parameter that does: one of
// many views of the same dates.
bool is_calendar(const url::Url& url);

// 0 without a query.
int parameter_count(const url::Url& url);

// Traps that no single URL shows: one page in endless views of itself.

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
