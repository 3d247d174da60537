// From chunks whose signs agree with the question's to those that are the nearest: their vectors are read and
// compared, the likeliest first, for as long as that changes anything.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "index/embedded/reading.h"
#include "index/index.h"
#include "index/embedded/int8_vector.h"

namespace quarry::index {

struct NearChunk {
    ChunkRef ref{};
    std::int64_t id = 0;
};

// How many are worth comparing at most: at a million chunks the best 10 are among the first 400 signs for .98
// of them, among the first 800 for .99.
inline std::size_t max_compared(int limit) {
    return static_cast<std::size_t>(limit) * 10 + 700;
}

class Rescoring {
public:
    Rescoring(ReadConnection& rows, std::int64_t space, std::span<const float> unit, int limit);

    // The likeliest first.
    Result<void> compare(std::vector<NearChunk>& chunks);

    // Best first.
    std::vector<Scored> take();
    // Whether a vector was not there any more.
    bool has_missed() const { return has_missed_; }

private:
    Result<std::size_t> compare_some(std::span<NearChunk> chunks);

    ReadConnection& rows_;
    std::int64_t space_;
    Int8Vector asked_;
    std::size_t limit_;
    std::vector<Scored> best_;
    bool has_missed_ = false;
};

}  // namespace quarry::index
