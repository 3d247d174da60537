#include "search/search_hits.h"

#include <algorithm>

namespace quarry::search {
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
