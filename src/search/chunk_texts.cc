#include "search/hits.h"

#include <vector>

namespace quarry::search {
namespace {

// Neighbours within a section overlap. Where they do to the letter, the later one goes on where the first
// ended; a table's header that is repeated, for one, does not lie where the page has it.
void append(std::string& text, const Chunk& before, const Chunk& chunk) {
    const std::size_t overlap = chunk.begin < before.end ? before.end - chunk.begin : 0;
    const std::string_view repeated = std::string_view(chunk.text).substr(0, overlap);
    if (overlap > 0 && overlap <= chunk.text.size() && text.ends_with(repeated)) {
        text += std::string_view(chunk.text).substr(overlap);
    } else {
        text += "\n\n";
        text += chunk.text;
    }
}

}  // namespace

Result<void> ChunkTexts::fetch(std::span<const ChunkRef> refs) {
    std::vector<ChunkRef> unread;
    for (const ChunkRef& ref : refs) {
        if (!chunks_.contains(ref)) unread.push_back(ref);
    }
    if (unread.empty()) return {};
    for (index::FoundChunk& found : TRY(index_.read(collection_, unread)))
        chunks_.insert_or_assign(found.ref, std::move(found));
    return {};
}

const index::FoundChunk* ChunkTexts::find(const ChunkRef& ref) const {
    const auto place = chunks_.find(ref);
    return place == chunks_.end() ? nullptr : &place->second;
}

std::string ChunkTexts::text_around(const ChunkRef& ref, int neighbours) const {
    std::string text;
    const Chunk* before = nullptr;
    for (int i = ref.index - neighbours; i <= ref.index + neighbours; ++i) {
        const index::FoundChunk* found = find({ref.page, i});
        if (found == nullptr) continue;
        if (before == nullptr)
            text = found->chunk.text;
        else
            append(text, *before, found->chunk);
        before = &found->chunk;
    }
    return text;
}

}  // namespace quarry::search
