#include "embed/space/space_feedback.h"

#include <algorithm>
#include <cmath>

namespace quarry::embed {

namespace {

constexpr float share_of_chunks = 0.6F;  // beside 1 for the query; 0.3 to 0.8 do as well

void add_scaled(std::vector<float>& to, std::span<const float> from, float factor) {
    if (to.empty()) to.resize(from.size());
    for (std::size_t i = 0; i < std::min(to.size(), from.size()); ++i) to[i] += factor * from[i];
}

float length_of(const std::vector<float>& vector) {
    double squares = 0;
    for (const float x : vector) squares += static_cast<double>(x) * x;
    return static_cast<float>(std::sqrt(squares));
}

}  // namespace

std::vector<float> lean_towards(std::span<const float> query, std::span<const FeedbackChunk> chunks) {
    std::vector<float> middle;
    for (const FeedbackChunk& chunk : chunks) {
        const float merit = chunks.front().score > 0 ? chunk.score / chunks.front().score : 1;
        // The cube: a second chunk that is far behind the first is hardly about the same.
        add_scaled(middle, chunk.vector, merit * merit * merit);
    }
    std::vector<float> leaning(query.begin(), query.end());
    if (const float length = length_of(middle); length > 0) {
        add_scaled(leaning, middle, share_of_chunks / length);
    }
    const float length = length_of(leaning);
    if (!(length > 0)) return {};
    for (float& x : leaning) x /= length;
    return leaning;
}

}  // namespace quarry::embed
