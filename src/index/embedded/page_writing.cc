#include "index/embedded/page_writing.h"

#include <utility>

#include "index/embedded/vectors.h"

namespace quarry::index {

PageWriting::PageWriting(WriterRows& rows, CollectionState& state, std::int64_t next_chunk)
    : rows_(rows), state_(state), next_chunk_(next_chunk) {
    for (const SpaceRow& space : state.spaces) spaces_.emplace_back(rows.vectors, space);
}

// False if the page is here in a newer version.
Result<bool> PageWriting::remove_former(PageId page, std::int64_t version, Change& change) {
    const std::optional<PagePlace> former = TRY(rows_.pages.find(state_.view.id, page));
    if (!former) return true;
    if (former->version > version) return false;
    TRY(rows_.pages.remove_chunks(*former));
    const auto count = static_cast<std::int64_t>(former->chunks.size());
    for (const SpaceWriting& space : spaces_) {
        if (count > 0) TRY(rows_.vectors.remove(space.space().id, former->first_chunk, count));
    }
    change.former = former->chunks;
    return true;
}

Result<void> PageWriting::put_vectors(const IndexedPage& page, const PagePlace& place) {
    for (std::size_t at = 0; at < page.chunks.size(); ++at) {
        const IndexedChunk& from = page.chunks[at];
        const std::int64_t chunk = place.first_chunk + static_cast<std::int64_t>(at);
        for (SpaceWriting& space : spaces_) {
            const bool is_used = space.space().state == SpaceState::used;
            const bool is_next = space.space().id == page.next_space && !from.next.empty();
            if (is_used || is_next) {
                const std::vector<float> unit = TRY(unit_vector(is_used ? from.vector : from.next));
                TRY(space.put(place.chunks[at].slot, chunk, unit));
            } else {
                TRY(space.clear(place.chunks[at].slot));
            }
        }
    }
    return {};
}

Result<void> PageWriting::replace(const IndexedPage& page) {
    Change change{.page = page.page};
    if (!TRY(remove_former(page.page, page.version, change))) return {};
    PagePlace place{.version = page.version, .first_chunk = next_chunk_};
    for (const IndexedChunk& chunk : page.chunks) {
        place.chunks.push_back({.slot = state_.supply.take(), .length = chunk.terms.length});
        postings_.add(place.chunks.back().slot, chunk.terms.counts);
    }
    next_chunk_ += static_cast<std::int64_t>(page.chunks.size());
    TRY(rows_.pages.put(state_.view.id, page, place));
    TRY(put_vectors(page, place));
    change.entry = {.page = page.page,
                    .first_chunk = place.first_chunk,
                    .fetched_at = page.label.fetched_at,
                    .path = page.label.path};
    change.host = page.label.host;
    change.language = page.label.language;
    change.chunks = std::move(place.chunks);
    changes_.push_back(std::move(change));
    return {};
}

Result<void> PageWriting::remove(const RemovedPage& page) {
    Change change{.page = page.page, .is_removed = true};
    if (!TRY(remove_former(page.page, page.version, change))) return {};
    TRY(rows_.pages.put_removed(state_.view.id, page));
    changes_.push_back(std::move(change));
    return {};
}

Result<void> PageWriting::finish() {
    for (SpaceWriting& space : spaces_) TRY(space.finish());
    return {};
}

void PageWriting::prepare_view() {
    state_.supply.settle();
    part_ = postings_.finish();
    if (part_->slots().empty()) return;
    Sources sources = *state_.view.sources;
    sources.parts.push_back(part_);
    sources_ = std::make_shared<const Sources>(std::move(sources));
}

void PageWriting::change_view() {
    CollectionView& view = state_.view;
    if (sources_) view.sources = sources_;
    for (const SpaceWriting& space : spaces_) {
        SpaceRow& row = *state_.space(space.space().id);
        const bool is_used = row.state == SpaceState::used;
        if (is_used && view.signs.dimensions() != space.space().dimensions) {
            view.signs = Signs(space.space().dimensions);
            view.embedder.dimensions = space.space().dimensions;
        }
        row = space.space();
    }
    for (Change& change : changes_) {
        for (const ChunkPlace& chunk : change.former) {
            view.slots.remove(chunk.slot);
            view.signs.remove(chunk.slot);
        }
        if (change.is_removed) {
            view.pages.remove(change.page);
            continue;
        }
        change.entry.host = view.pages.hosts.number_of(change.host);
        change.entry.language = view.pages.languages.number_of(change.language);
        const PageNumber page = view.pages.put(std::move(change.entry));
        std::uint32_t index = 0;
        for (const ChunkPlace& chunk : change.chunks) {
            view.slots.put(chunk.slot, {.page = page, .index = index++}, chunk.length);
        }
    }
    for (const SpaceWriting& space : spaces_) {
        if (space.space().state != SpaceState::used) continue;
        for (const auto& [slot, signs] : space.signs()) {
            if (view.slots.is_live(slot)) view.signs.put(slot, signs);
        }
    }
}

}  // namespace quarry::index
