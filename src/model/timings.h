// Where the time of a page went, stage by stage. Of many pages: the sums.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace quarry {

struct Timings {
    std::chrono::microseconds fetch{}, extract{}, chunk{}, embed{};
    std::chrono::microseconds index{};  // of the index in all
    std::chrono::microseconds words{};  // the part of that in which terms were counted, for finding by words
    std::int64_t chunks = 0;
    std::string note{};  // what else is worth knowing of one page: "cut at 50 MB"; else ""

    std::chrono::microseconds total() const { return fetch + extract + chunk + embed + index; }
    bool is_empty() const { return total() == std::chrono::microseconds{} && chunks == 0; }
    friend bool operator==(const Timings&, const Timings&) = default;
};

}  // namespace quarry
