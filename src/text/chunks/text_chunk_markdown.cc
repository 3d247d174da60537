#include "text/chunks/chunk_markdown.h"

#include <algorithm>

#include "text/chunks/chunk_packer.h"
#include "text/chunks/pieces.h"
#include "text/chunks/heading_path.h"
#include "text/markdown/blocks.h"
#include "text/chunks/token_cost.h"

namespace quarry::text {
namespace {

// Below this a fence around a line of code would not fit.
constexpr int smallest_maximum = 16;
// Positions in a chunk have 32 bits.
constexpr std::size_t longest_markdown = 0xFFFFFFF0;

PackingLimits packing_limits(const ChunkLimits& limits) {
    const auto maximum = static_cast<std::uint64_t>(std::max(limits.maximum, smallest_maximum));
    const auto target =
        std::clamp<std::uint64_t>(static_cast<std::uint64_t>(std::max(limits.target, 1)), 1, maximum);
    const auto overlap = std::min(static_cast<std::uint64_t>(std::max(limits.overlap, 0)), target / 2);
    return {target * cost_per_token, maximum * cost_per_token, overlap * cost_per_token};
}

std::string_view trimmed_end(std::string_view text) {
    const std::size_t last = text.find_last_not_of(" \t\r\n");
    return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

std::vector<Chunk> chunk_within(std::string_view markdown, SharedPath path, const PackingLimits& limits) {
    // A piece may get a gap, and a part of it a backslash.
    constexpr std::uint64_t reserve = 2 * cost_per_token;
    const PieceLimits piece_limits{.target = limits.target - std::min(limits.target / 4, reserve),
                                   .maximum = limits.maximum - reserve};
    ChunkPacker packer(markdown, limits);
    const PieceSink deliver = [&](Piece piece) { packer.add(std::move(piece)); };
    packer.begin_section(path, 0);
    MarkdownBlocks blocks(markdown);
    while (const std::optional<Block> block = blocks.next()) {
        if (block->kind == BlockKind::heading) {
            path = path_below(path, block->level,
                              plain_heading(markdown.substr(block->begin, block->end - block->begin)));
            packer.begin_section(path, block->level);
        }
        cut_block(markdown, *block, piece_limits, deliver);
    }
    return packer.finish();
}

}  // namespace

std::vector<Chunk> chunk_markdown(std::string_view markdown, std::string_view title,
                                  const ChunkLimits& limits) {
    const SharedPath path = title.empty() ? nullptr : path_below(nullptr, 0, plain_heading(title));
    return chunk_within(trimmed_end(markdown.substr(0, longest_markdown)), path, packing_limits(limits));
}

std::vector<Chunk> halve(const Chunk& chunk) {
    const int tokens = estimate_tokens(chunk.text);
    std::vector<Chunk> halves;
    for (int maximum = tokens * 2 / 3; maximum >= 1 && halves.size() < 2; maximum = maximum / 2) {
        const ChunkLimits limits{.target = std::max(maximum * 3 / 4, 1), .maximum = maximum, .overlap = 0};
        halves = chunk_markdown(chunk.text, "", limits);
        if (maximum < smallest_maximum) break;
    }
    if (halves.size() < 2) return {};
    for (Chunk& half : halves) {
        if (half.text.size() >= chunk.text.size()) return {};
        std::vector<std::string> headings = chunk.headings;
        for (std::string& heading : half.headings)
            if (std::ranges::find(headings, heading) == headings.end())
                headings.push_back(std::move(heading));
        half.headings = std::move(headings);
        half.begin = std::min(chunk.begin + half.begin, chunk.end);
        half.end = std::min(chunk.begin + half.end, chunk.end);
    }
    return halves;
}

}  // namespace quarry::text
