#include "search/hits.h"

#include <algorithm>
#include <unordered_map>
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

std::vector<PageGroup> group_by_page(std::span<const index::Scored> ranking) {
    std::vector<PageGroup> groups;
    std::unordered_map<PageId, std::size_t> places;
    for (const index::Scored& hit : ranking) {
        const auto [place, is_new] = places.emplace(hit.chunk.page, groups.size());
        if (is_new) groups.push_back({.page = hit.chunk.page, .score = hit.score});
        groups[place->second].chunks.push_back(hit);
    }
    return groups;
}

std::vector<PageGroup> each_alone(std::span<const index::Scored> ranking) {
    std::vector<PageGroup> groups;
    for (const index::Scored& hit : ranking)
        groups.push_back({.page = hit.chunk.page, .score = hit.score, .chunks = {hit}});
    return groups;
}

namespace {

std::span<const index::Scored> best_chunks(const PageGroup& group, int count) {
    return std::span(group.chunks)
        .first(std::min<std::size_t>(group.chunks.size(), static_cast<std::size_t>(count)));
}

// All that will be shown, so that it is read in one call.
std::vector<ChunkRef> chunks_shown(std::span<const PageGroup> groups, const SearchRequest& request) {
    std::vector<ChunkRef> refs;
    for (const PageGroup& group : groups) {
        for (const index::Scored& hit : best_chunks(group, std::max(request.passages, 1))) {
            for (int i = hit.chunk.index - request.context; i <= hit.chunk.index + request.context; ++i)
                if (i >= 0) refs.push_back({hit.chunk.page, i});
        }
    }
    return refs;
}

Passage make_passage(const index::Scored& scored, const index::FoundChunk& found, const Query& query,
                     text::TermReader& reader) {
    return {.ref = scored.chunk,
            .score = scored.score,
            .headings = found.chunk.headings,
            .snippet = make_snippet(found.chunk.text, query.keywords, reader)};
}

}  // namespace

Result<std::vector<Hit>> make_hits(std::span<const PageGroup> groups, const SearchRequest& request,
                                   const Query& query, ChunkTexts& texts) {
    TRY(texts.fetch(chunks_shown(groups, request)));
    text::TermReader reader;
    std::vector<Hit> hits;
    for (const PageGroup& group : groups) {
        const index::FoundChunk* best = texts.find(group.chunks.front().chunk);
        if (best == nullptr) continue;
        Hit hit{.label = best->label, .page = group.page, .score = group.score};
        for (const index::Scored& scored : best_chunks(group, request.passages)) {
            const index::FoundChunk* found = texts.find(scored.chunk);
            if (found == nullptr) continue;
            hit.passages.push_back(make_passage(scored, *found, query, reader));
            hit.passages.back().text = texts.text_around(scored.chunk, request.context);
        }
        hits.push_back(std::move(hit));
    }
    return hits;
}

std::set<std::string> terms_met(const Query& query, std::span<const PageGroup> groups,
                                const ChunkTexts& texts) {
    std::set<std::string, std::less<>> wanted;
    for (const auto& word : query.keywords.words) wanted.insert(word.term);
    std::set<std::string> met;
    text::TermReader reader;
    const auto look_at = [&](std::string_view text) {
        for (const text::Term& term : reader.read(text))
            if (wanted.contains(term.text)) met.emplace(term.text);
    };
    for (const PageGroup& group : groups) {
        const index::FoundChunk* found = texts.find(group.chunks.front().chunk);
        if (found == nullptr || met.size() == wanted.size()) continue;
        look_at(found->label.title);
        for (const std::string& heading : found->chunk.headings) look_at(heading);
        look_at(found->chunk.text);
    }
    return met;
}

}  // namespace quarry::search
