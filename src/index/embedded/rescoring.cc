#include "index/embedded/rescoring.h"

#include <algorithm>
#include <utility>

#include "index/embedded/packed_vector.h"

namespace quarry::index {

namespace {

// Compared before it is asked whether to go on.
constexpr std::size_t compared_together = 64;

bool is_better(const Scored& a, const Scored& b) {
    return a.score != b.score ? a.score > b.score : a.chunk < b.chunk;
}

}  // namespace

Rescoring::Rescoring(ReadConnection& rows, std::int64_t space, std::span<const float> unit, int limit)
    : rows_(rows), space_(space), asked_(quantise(unit)), limit_(static_cast<std::size_t>(limit)) {}

Result<void> Rescoring::compare(std::vector<NearChunk>& chunks) {
    for (std::size_t at = 0; at < chunks.size(); at += compared_together) {
        const std::size_t count = std::min(compared_together, chunks.size() - at);
        const std::size_t changed = TRY(compare_some(std::span(chunks).subspan(at, count)));
        // Those that follow agree even less. When hardly one of these was among the best any more, and then
        // among the last of them, they are not worth their reading: at a depth of 100 each is a page of the
        // file, and half of what a search takes.
        if (changed * 20 < limit_ && best_.size() == limit_) break;
    }
    return {};
}

// How many of these are better than the worst of the best so far.
Result<std::size_t> Rescoring::compare_some(std::span<NearChunk> chunks) {
    // Neighbours in the file are read together.
    std::ranges::sort(chunks, {}, &NearChunk::id);
    const bool was_full = best_.size() == limit_;
    const std::size_t known = best_.size();
    const Scored bar = was_full ? best_.back() : Scored{};
    for (const NearChunk& chunk : chunks) {
        const std::optional<std::string_view> packed = TRY(rows_.vector(space_, chunk.id));
        has_missed_ = has_missed_ || !packed;
        if (packed) best_.push_back({.chunk = chunk.ref, .score = TRY(cosine(*packed, asked_))});
    }
    const auto is_among = [&](const Scored& scored) { return !was_full || is_better(scored, bar); };
    const auto changed = std::ranges::count_if(std::span(best_).subspan(known), is_among);
    std::ranges::sort(best_, is_better);
    if (best_.size() > limit_) best_.resize(limit_);
    return static_cast<std::size_t>(changed);
}

std::vector<Scored> Rescoring::take() {
    return std::move(best_);
}

}  // namespace quarry::index
