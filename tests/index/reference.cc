#include "index/reference.h"

#include <algorithm>
#include <cmath>

namespace quarry::test {

template <typename Use>
void ReferenceIndex::each_chunk(Use use) const {
    for (const auto& [id, page] : pages_) {
        for (std::size_t at = 0; at < page.chunks.size(); ++at) {
            use(ChunkRef{.page = id, .index = static_cast<int>(at)}, page, page.chunks[at]);
        }
    }
}

bool ReferenceIndex::is_newer(PageId page, std::int64_t version) const {
    const auto found = pages_.find(page);
    return found != pages_.end() && found->second.version > version;
}

void ReferenceIndex::replace(const std::vector<index::IndexedPage>& pages) {
    for (const index::IndexedPage& page : pages) {
        if (is_newer(page.page, page.version)) continue;
        Page made{.version = page.version, .host = page.label.host};
        for (const index::IndexedChunk& chunk : page.chunks) {
            Chunk& added = made.chunks.emplace_back();
            added.text = chunk.chunk.text;
            added.length = chunk.terms.length;
            added.vector = chunk.vector;
            for (const auto& counted : chunk.terms.counts) {
                added.words[std::string(counted.term)] = static_cast<int>(counted.count);
            }
        }
        pages_[page.page] = std::move(made);
    }
}

void ReferenceIndex::remove(index::RemovedPage page) {
    if (is_newer(page.page, page.version)) return;
    pages_[page.page] = {.version = page.version, .is_removed = true};
}

void ReferenceIndex::set_vectors(const std::vector<float>& vector) {
    for (auto& [id, page] : pages_) {
        for (Chunk& chunk : page.chunks) chunk.vector = vector;
    }
}

std::set<ChunkRef> ReferenceIndex::match(const index::KeywordQuery& query,
                                         const index::Filter& filter) const {
    std::set<ChunkRef> found;
    each_chunk([&](ChunkRef ref, const Page& page, const Chunk& chunk) {
        const auto has = [&](const std::string& word) { return chunk.words.contains(word); };
        if (!filter.host.empty() && page.host != filter.host) return;
        if (!std::ranges::all_of(query.required, has) || std::ranges::any_of(query.excluded, has)) return;
        const bool has_word = std::ranges::any_of(query.words, has, &index::KeywordQuery::Word::term);
        if (has_word || !query.required.empty()) found.insert(ref);
    });
    return found;
}

std::map<ChunkRef, double> ReferenceIndex::scores(const index::KeywordQuery& query) const {
    double total = 0, count = 0;
    std::map<std::string, double> frequency;
    each_chunk([&](ChunkRef, const Page&, const Chunk& chunk) {
        total += chunk.length;
        ++count;
        for (const auto& [word, times] : chunk.words) ++frequency[word];
    });
    std::map<ChunkRef, double> scores;
    each_chunk([&](ChunkRef ref, const Page&, const Chunk& chunk) {
        for (const auto& word : query.words) {
            const auto found = chunk.words.find(word.term);
            if (found == chunk.words.end()) continue;
            const double with = frequency[word.term];
            const double rarity = std::log(1 + (count - with + 0.5) / (with + 0.5));
            const double norm = 1.2 * (0.25 + 0.75 * chunk.length / (total / count));
            scores[ref] += word.weight * rarity * found->second / (found->second + norm);
        }
    });
    return scores;
}

std::set<ChunkRef> ReferenceIndex::with_vector(const index::Filter& filter) const {
    std::set<ChunkRef> found;
    each_chunk([&](ChunkRef ref, const Page& page, const Chunk& chunk) {
        if (!filter.host.empty() && page.host != filter.host) return;
        if (!chunk.vector.empty()) found.insert(ref);
    });
    return found;
}

std::int64_t ReferenceIndex::pages() const {
    return std::ranges::count_if(pages_, [](const auto& page) { return !page.second.is_removed; });
}

std::int64_t ReferenceIndex::chunks() const {
    std::int64_t count = 0;
    each_chunk([&](ChunkRef, const Page&, const Chunk&) { ++count; });
    return count;
}

std::string ReferenceIndex::text(ChunkRef chunk) const {
    return pages_.at(chunk.page).chunks.at(static_cast<std::size_t>(chunk.index)).text;
}

std::set<std::string> ReferenceIndex::texts() const {
    std::set<std::string> texts;
    each_chunk([&](ChunkRef, const Page&, const Chunk& chunk) { texts.insert(chunk.text); });
    return texts;
}

}  // namespace quarry::test
