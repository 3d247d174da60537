// Chunks anything, within limits that the first bytes choose: no chunk is empty or too large, all lie inside
// the text and in order, fences are balanced, and halves are smaller than what was halved.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "text/chunks/chunk_markdown.h"
#include "text/markdown/marks.h"

using namespace quarry;
using namespace quarry::text;

namespace {

void require(bool holds) {
    if (!holds) std::abort();
}

bool has_balanced_fences(std::string_view text) {
    Fence open{};
    for (std::size_t at = 0; at < text.size(); at = std::min(text.find('\n', at), text.size() - 1) + 1) {
        if (open.mark == 0)
            open = fence_at(text, at);
        else if (closes_fence(text, at, open))
            open = {};
    }
    return open.mark == 0;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 3) return 0;
    const ChunkLimits limits{
        .target = 8 + data[0] % 64, .maximum = 16 + data[1] % 128, .overlap = data[2] % 32};
    const std::string_view text(reinterpret_cast<const char*>(data) + 3, size - 3);

    std::uint32_t before = 0;
    const auto chunks = chunk_markdown(text, "title", limits);
    for (const Chunk& chunk : chunks) {
        require(!chunk.text.empty() && estimate_tokens(chunk.text) <= limits.maximum);
        require(chunk.begin < chunk.end && chunk.end <= text.size() && chunk.end > before);
        require(chunk.headings.size() <= 8);
        require(has_balanced_fences(chunk.text));
        before = chunk.end;
        for (const Chunk& half : halve(chunk)) require(half.text.size() < chunk.text.size());
    }
    const bool is_blank = text.find_first_not_of(" \t\r\n") == std::string_view::npos;
    require(chunks.empty() == is_blank);
    return 0;
}
