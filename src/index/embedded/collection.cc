#include "index/embedded/collection.h"

#include <algorithm>
#include <utility>

#include "index/embedded/page_rows.h"
#include "index/embedded/postings.h"
#include "index/embedded/segments.h"

namespace quarry::index {

std::uint32_t Names::number_of(std::string_view name) {
    const auto [found, is_new] =
        numbers_.try_emplace(std::string(name), static_cast<std::uint32_t>(names_.size()));
    if (is_new) names_.emplace_back(name);
    return found->second;
}

PageNumber PageTable::put(PageEntry entry) {
    const auto [found, is_new] = numbers_.try_emplace(number(entry.page), no_page);
    if (is_new && free_.empty()) {
        found->second = static_cast<PageNumber>(entries_.size());
        entries_.emplace_back();
    } else if (is_new) {
        found->second = free_.back();
        free_.pop_back();
    }
    entries_[found->second] = std::move(entry);
    return found->second;
}

void PageTable::remove(PageId page) {
    const auto found = numbers_.find(number(page));
    if (found == numbers_.end()) return;
    entries_[found->second] = {};
    free_.push_back(found->second);
    numbers_.erase(found);
}

void SlotTable::put(Slot slot, Entry entry, std::uint32_t length) {
    grow(slot + std::size_t{1});
    remove(slot);
    entries_[slot] = entry;
    lengths_[slot] = static_cast<std::uint16_t>(std::min<std::uint32_t>(length, UINT16_MAX));
    ++live_;
    total_length_ += lengths_[slot];
}

void SlotTable::grow(std::size_t size) {
    if (size <= entries_.size()) return;
    entries_.resize(size);
    lengths_.resize(size);
}

void SlotTable::remove(Slot slot) {
    if (!is_live(slot)) return;
    entries_[slot] = {};
    --live_;
    total_length_ -= lengths_[slot];
}

Bits SlotTable::live_bits() const {
    Bits bits(size());
    for (Slot slot = 0; slot < size(); ++slot) {
        if (is_live(slot)) bits.set(slot);
    }
    return bits;
}

std::int64_t Sources::chunks_in_parts() const {
    std::int64_t chunks = 0;
    for (const auto& part : parts) chunks += static_cast<std::int64_t>(part->slots().size());
    return chunks;
}

// From rows to memory. A million chunks take less than a second: pages are one row each, signs one row per
// 256 chunks, and texts, vectors and postings in segments are left where they are.

namespace {

Result<void> load_pages(db::Connection& connection, CollectionView& view) {
    db::Statement rows = TRY(connection.prepare(R"sql(
        SELECT page, first_chunk, chunks, fetched_at, language, host, path FROM page
        WHERE collection = ?1 AND NOT is_removed)sql"));
    rows.bind(view.id);
    while (TRY(rows.step())) {
        PageEntry entry{.page = PageId{rows.integer(0)},
                        .first_chunk = rows.integer(1),
                        .fetched_at = Timestamp(std::chrono::milliseconds(rows.integer(3)))};
        entry.language = view.pages.languages.number_of(rows.text(4));
        entry.host = view.pages.hosts.number_of(rows.text(5));
        entry.path = rows.text(6);
        const PageNumber page = view.pages.put(std::move(entry));
        std::uint32_t index = 0;
        for (const ChunkPlace& place : TRY(unpack_places(rows.text(2)))) {
            if (view.slots.is_live(place.slot)) return damaged("two chunks have one place");
            view.slots.put(place.slot, {.page = page, .index = index++}, place.length);
        }
    }
    return {};
}

// Where the chunks of a page are by now; empty if it is not the version that waited.
Result<std::vector<ChunkPlace>> places_of(db::Statement& find, const db::Statement& pending,
                                          std::int64_t collection) {
    find.bind(collection, pending.integer(1), pending.integer(0));
    std::vector<ChunkPlace> places;
    if (TRY(find.step())) places = TRY(unpack_places(find.text(0)));
    find.reset();
    return places;
}

// Pages that are in no segment yet, as parts: a new one wherever slots do not ascend.
Result<std::vector<std::shared_ptr<const Part>>> load_parts(db::Connection& connection,
                                                            std::int64_t collection) {
    db::Statement pending =
        TRY(connection.prepare("SELECT id, page, bytes FROM pending WHERE collection = ?1 ORDER BY id"));
    db::Statement find = TRY(connection.prepare(
        "SELECT chunks FROM page WHERE collection = ?1 AND page = ?2 AND first_chunk = ?3"));
    std::vector<std::shared_ptr<const Part>> parts;
    std::optional<PartBuilder> builder;
    Slot last = 0;
    pending.bind(collection);
    while (TRY(pending.step())) {
        const auto places = TRY(places_of(find, pending, collection));
        const auto terms = TRY(unpack_terms(pending.text(2)));
        if (places.size() != terms.size()) return damaged("words of a page that waits");
        for (std::size_t at = 0; at < places.size(); ++at) {
            if (builder && places[at].slot <= last) parts.push_back(std::exchange(builder, {})->finish());
            if (!builder) builder.emplace();
            last = places[at].slot;
            builder->add(last, terms[at]);
        }
    }
    if (builder) parts.push_back(builder->finish());
    return parts;
}

Result<SlotSupply> load_supply(db::Connection& connection, CollectionView& view) {
    Bits used = view.slots.live_bits();
    auto next = static_cast<Slot>(view.slots.size());
    for (const Segment& segment : view.sources->segments) {
        for (const Slot slot : TRY(segment_slots(connection, segment.id))) {
            used.grow(slot + std::size_t{1});
            used.set(slot);
            next = std::max(next, slot + 1);
        }
    }
    view.slots.grow(next);
    std::vector<Slot> free;
    for (Slot slot = 0; slot < next; ++slot) {
        if (!used.has(slot)) free.push_back(slot);
    }
    return SlotSupply(std::move(free), next);
}

Result<void> load_spaces(db::Connection& connection, CollectionState& state) {
    db::Statement rows = TRY(connection.prepare(
        "SELECT id, state, dimensions, bytes IS NOT NULL FROM space WHERE collection = ?1 AND state < 2"));
    rows.bind(state.view.id);
    while (TRY(rows.step())) {
        state.spaces.push_back({.id = rows.integer(0),
                                .state = static_cast<SpaceState>(rows.integer(1)),
                                .dimensions = static_cast<int>(rows.integer(2))});
        if (rows.integer(0) == state.view.space) state.view.is_builtin = rows.integer(3) != 0;
    }
    const SpaceRow* used = state.space(state.view.space);
    if (!used) return {};
    if (used->dimensions < 0 || used->dimensions > (1 << 16)) return damaged("a space's dimensions");
    state.view.embedder.dimensions = used->dimensions;
    state.view.signs = TRY(load_signs(connection, *used, state.view.slots));
    return {};
}

Result<void> load_collection(db::Connection& connection, CollectionState& state) {
    TRY(load_pages(connection, state.view));
    Sources sources;
    sources.segments = TRY(segments_of(connection, state.view.id));
    sources.parts = TRY(load_parts(connection, state.view.id));
    state.view.sources = std::make_shared<const Sources>(std::move(sources));
    state.supply = TRY(load_supply(connection, state.view));
    return load_spaces(connection, state);
}

}  // namespace

SpaceRow* CollectionState::space(std::int64_t id) {
    const auto found = std::ranges::find(spaces, id, &SpaceRow::id);
    return found == spaces.end() ? nullptr : &*found;
}

Result<Signs> load_signs(db::Connection& connection, const SpaceRow& space, const SlotTable& slots) {
    db::Statement rows =
        TRY(connection.prepare("SELECT block, bytes FROM sign_block WHERE space = ?1 ORDER BY block"));
    rows.bind(space.id);
    Signs signs(space.dimensions);
    while (TRY(rows.step())) {
        const std::optional<SignBlock> block = SignBlock::parse(rows.text(1), space.dimensions);
        const std::int64_t first = rows.integer(0) * slots_per_block;
        if (!block || first < 0) return damaged("signs of vectors");
        for (Slot at = 0; at < slots_per_block; ++at) {
            const auto slot = static_cast<Slot>(first + at);
            if (slots.is_live(slot) && block->has(slot)) signs.put(slot, block->signs(slot));
        }
    }
    return signs;
}

Result<Collections> load_collections(db::Connection& connection) {
    db::Statement rows = TRY(connection.prepare(
        "SELECT id, name, space, provider, model, version, dimensions FROM collection WHERE NOT is_dropped"));
    Collections states;
    while (TRY(rows.step())) {
        auto state = std::make_unique<CollectionState>();
        CollectionView& view = state->view;
        view.id = rows.integer(0);
        view.name = rows.text(1);
        view.space = rows.integer(2);
        view.embedder.provider = rows.text(3);
        view.embedder.model = rows.text(4);
        view.embedder.version = rows.text(5);
        view.embedder.dimensions = static_cast<int>(rows.integer(6));
        TRY(load_collection(connection, *state));
        states.emplace(view.name, std::move(state));
    }
    return states;
}

}  // namespace quarry::index
