#include "index/embedded/upkeep.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "index/embedded/merging.h"
#include "index/embedded/page_rows.h"
#include "index/embedded/segments.h"

namespace quarry::index {

namespace {

// Rows of one kind, removed in the order of their keys.
struct Heap {
    std::string_view owner;  // an owner whose rows are to go
    std::string_view bound;  // ?1: the owner; the first key to stay in this step
    std::string_view some;   // ?1, ?2: removes what is below
    std::string_view all;    // ?1: removes the rest
};

constexpr std::array heaps = {
    Heap{.owner = "SELECT id FROM segment WHERE state = 2 AND EXISTS(SELECT 1 FROM leaf WHERE segment = id)",
         .bound = "SELECT first FROM leaf WHERE segment = ?1 ORDER BY first LIMIT 1 OFFSET 250",
         .some = "DELETE FROM leaf WHERE segment = ?1 AND first < ?2",
         .all = "DELETE FROM leaf WHERE segment = ?1"},
    Heap{.owner = "SELECT id FROM space WHERE state = 2 AND EXISTS(SELECT 1 FROM vector WHERE space = id)",
         .bound = "SELECT chunk FROM vector WHERE space = ?1 ORDER BY chunk LIMIT 1 OFFSET 5000",
         .some = "DELETE FROM vector WHERE space = ?1 AND chunk < ?2",
         .all = "DELETE FROM vector WHERE space = ?1"},
    Heap{
        .owner = "SELECT id FROM space WHERE state = 2 AND EXISTS(SELECT 1 FROM sign_block WHERE space = id)",
        .bound = "SELECT block FROM sign_block WHERE space = ?1 ORDER BY block LIMIT 1 OFFSET 250",
        .some = "DELETE FROM sign_block WHERE space = ?1 AND block < ?2",
        .all = "DELETE FROM sign_block WHERE space = ?1"},
};

// Pages of a collection that was removed, with their texts.
constexpr std::string_view some_pages = R"sql(
    SELECT page, first_chunk, chunks FROM page
    WHERE collection = (SELECT id FROM collection WHERE is_dropped LIMIT 1) LIMIT 200)sql";

// True if the owner had rows.
Result<bool> remove_from(db::Connection& connection, const Heap& heap) {
    const std::optional<std::int64_t> owner = TRY(connection.integer(heap.owner));
    if (!owner) return false;
    db::Statement bound = TRY(connection.prepare(heap.bound));
    bound.bind(*owner);
    if (!TRY(bound.step())) {
        db::Statement all = TRY(connection.prepare(heap.all));
        TRY(all.bind(*owner).run());
        return true;
    }
    const std::string key(bound.text(0));
    const std::int64_t number = bound.integer(0);
    bound.reset();
    db::Statement some = TRY(connection.prepare(heap.some));
    const bool is_text = heap.bound.starts_with("SELECT first");
    if (is_text) {
        TRY(some.bind(*owner, db::Blob{key}).run());
    } else {
        TRY(some.bind(*owner, number).run());
    }
    return true;
}

// True if there were pages.
Result<bool> remove_pages(db::Connection& connection) {
    const std::optional<std::int64_t> collection =
        TRY(connection.integer("SELECT id FROM collection WHERE is_dropped LIMIT 1"));
    if (!collection) return false;
    struct Row {
        std::int64_t page = 0, first = 0, end = 0;
    };
    std::vector<Row> rows;
    db::Statement pages = TRY(connection.prepare(some_pages));
    while (TRY(pages.step())) {
        const auto chunks = static_cast<std::int64_t>(TRY(unpack_places(pages.text(2))).size());
        rows.push_back({pages.integer(0), pages.integer(1), pages.integer(1) + chunks});
    }
    pages.reset();
    db::Statement passages = TRY(connection.prepare("DELETE FROM passages WHERE id >= ?1 AND id < ?2"));
    db::Statement remove = TRY(connection.prepare("DELETE FROM page WHERE collection = ?1 AND page = ?2"));
    for (const Row& row : rows) {
        TRY(passages.bind(row.first, row.end).run());
        TRY(remove.bind(*collection, row.page).run());
    }
    if (rows.empty()) {
        db::Statement last = TRY(connection.prepare("DELETE FROM collection WHERE id = ?1"));
        TRY(last.bind(*collection).run());
    }
    return true;
}

}  // namespace

Result<void> abandon_unfinished(db::Connection& connection) {
    db::Transaction transaction = TRY(db::Transaction::begin(connection));
    TRY(connection.execute(R"sql(
        UPDATE segment SET state = 2 WHERE state = 0;
        UPDATE space SET state = 2, bytes = NULL WHERE state = 0;
    )sql"));
    return transaction.commit();
}

Result<bool> collect_some_garbage(db::Connection& connection) {
    db::Transaction transaction = TRY(db::Transaction::begin(connection));
    bool is_any = TRY(remove_pages(connection));
    for (const Heap& heap : heaps) is_any = is_any || TRY(remove_from(connection, heap));
    if (!is_any) {
        TRY(connection.execute("DELETE FROM segment WHERE state = 2; DELETE FROM space WHERE state = 2;"));
    }
    TRY(transaction.commit());
    return is_any;
}

namespace {

// How much one transaction of this may take, so that nobody who writes waits long. Of the processor: on a
// busy machine as much is done for each chunk that is added as on an idle one.
constexpr std::chrono::milliseconds step_time{25};

// So many of about the same size become one: every posting is written again a few times in all, and a search
// looks into some dozen places at most.
constexpr std::size_t merged_together = 8;
// With twice as many the merging has fallen behind, and more is done at a time.
constexpr std::size_t too_many_alike = 2 * merged_together;
constexpr std::size_t hurry = 4;

// What is added causes about as much work again: a round of steps for so many chunks keeps pace with it.
constexpr std::size_t chunks_per_round = 1'000;

// Sizes of the same class are within a factor of eight.
std::size_t size_class(std::int64_t chunks) {
    std::size_t of = 0;
    for (; chunks >= static_cast<std::int64_t>(merged_together); chunks /= merged_together) ++of;
    return of;
}

constexpr std::size_t size_classes = 24;

// Items of the smallest class that has at least so many; none if no class has.
template <typename Item, typename Size>
std::vector<Item> alike(const std::vector<Item>& items, std::size_t at_least, Size size) {
    std::array<std::vector<Item>, size_classes> classes;
    for (const Item& item : items) classes[size_class(size(item))].push_back(item);
    for (auto& of_class : classes) {
        if (of_class.size() >= at_least) return std::move(of_class);
    }
    return {};
}

std::vector<Segment> segments_alike(const Sources& sources, std::size_t at_least) {
    return alike(sources.segments, at_least, [](const Segment& segment) { return segment.chunks; });
}

// Slots that are in segments or parts, and of no chunk.
std::int64_t dead_slots(const CollectionView& view) {
    std::int64_t all = view.sources->chunks_in_parts();
    for (const Segment& segment : view.sources->segments) all += segment.chunks;
    return all - view.slots.live();
}

// The segment that most of the dead are in.
Result<std::vector<Segment>> most_dead(db::Connection& connection, const CollectionView& view) {
    std::vector<Segment> worst;
    std::int64_t most = 0;
    for (const Segment& segment : view.sources->segments) {
        const std::vector<Slot> slots = TRY(segment_slots(connection, segment.id));
        const auto dead = std::ranges::count_if(slots, [&](Slot slot) { return !view.slots.is_live(slot); });
        if (dead <= most) continue;
        most = dead;
        worst = {segment};
    }
    return worst;
}

}  // namespace

Result<void> Upkeep::merge_parts_of(CollectionState& state) {
    while (true) {
        std::vector<std::shared_ptr<const Part>> idle = state.view.sources->parts;
        if (flush_) std::erase_if(idle, [&](const auto& part) { return flush_->has(part.get()); });
        const auto inputs = alike(idle, merged_together, [](const auto& part) {
            return static_cast<std::int64_t>(part->slots().size());
        });
        if (inputs.empty()) return {};
        std::vector<Slot> slots, dropped;
        for (const auto& part : inputs) slots.insert(slots.end(), part->slots().begin(), part->slots().end());
        for (const Slot slot : slots) {
            if (!state.view.slots.is_live(slot)) dropped.push_back(slot);
        }
        Sources sources = *state.view.sources;
        std::erase_if(sources.parts, [&](const auto& part) { return std::ranges::count(inputs, part) > 0; });
        sources.parts.push_back(TRY(merge_parts(inputs, live_of(state.view.slots, slots))));
        auto changed = std::make_shared<const Sources>(std::move(sources));
        {
            const auto changing = lock_.to_change();
            state.view.sources = std::move(changed);
        }
        state.supply.give_back(dropped);
    }
}

// The largest tail first, if all of them together are large.
Result<void> Upkeep::begin_flush(std::int64_t next_chunk, std::int64_t tail_limit) {
    std::int64_t all = 0, most = 0;
    CollectionState* largest = nullptr;
    for (const auto& [name, state] : collections_) {
        const std::int64_t chunks = state->view.sources->chunks_in_parts();
        all += chunks;
        if (chunks <= most) continue;
        most = chunks;
        largest = state.get();
    }
    if (!largest || all < tail_limit) return {};
    Rewriting::Inputs inputs{.parts = largest->view.sources->parts, .pending_before = next_chunk};
    flush_ = TRY(Rewriting::begin(connection_, *largest, std::move(inputs)));
    return {};
}

Result<void> Upkeep::begin_merge() {
    for (const auto& [name, state] : collections_) {
        const CollectionView& view = state->view;
        std::vector<Segment> inputs = segments_alike(*view.sources, merged_together);
        const std::int64_t many = view.slots.live() / 2 + static_cast<std::int64_t>(tail_chunks_);
        if (inputs.empty() && dead_slots(view) > many) inputs = TRY(most_dead(connection_, view));
        if (inputs.empty()) continue;
        merge_ = TRY(Rewriting::begin(connection_, *state, {.segments = std::move(inputs)}));
        return {};
    }
    return {};
}

Result<void> Upkeep::begin_due(std::int64_t next_chunk, std::int64_t tail_limit) {
    if (!flush_) TRY(begin_flush(next_chunk, tail_limit));
    if (!merge_) TRY(begin_merge());
    return {};
}

Result<void> Upkeep::step(std::optional<Rewriting>& rewriting) {
    const bool is_done = TRY(rewriting->step(connection_, lock_, step_time));
    if (!is_done) return {};
    rewriting.reset();
    may_have_rubbish_ = true;
    return {};
}

bool Upkeep::is_behind() const {
    std::int64_t waiting = 0;
    for (const auto& [name, state] : collections_) {
        waiting += state->view.sources->chunks_in_parts();
        if (merge_ && !segments_alike(*state->view.sources, too_many_alike).empty()) return true;
    }
    return flush_ && waiting >= static_cast<std::int64_t>(2 * tail_chunks_);
}

Result<void> Upkeep::keep_up(CollectionState& state, std::int64_t next_chunk, std::size_t chunks) {
    TRY(merge_parts_of(state));
    std::size_t rounds = 1 + chunks / chunks_per_round;
    if (is_behind()) rounds *= hurry;
    for (; rounds > 0; --rounds) {
        TRY(begin_due(next_chunk, static_cast<std::int64_t>(tail_chunks_)));
        if (!flush_ && !merge_ && !may_have_rubbish_) break;
        if (flush_) TRY(step(flush_));
        if (merge_) {
            TRY(step(merge_));
        } else if (may_have_rubbish_) {
            may_have_rubbish_ = TRY(collect_some_garbage(connection_));
        }
    }
    return {};
}

Result<bool> Upkeep::do_some(std::int64_t next_chunk) {
    TRY(begin_due(next_chunk, 1));
    if (flush_) {
        TRY(step(flush_));
    } else if (merge_) {
        TRY(step(merge_));
    } else {
        may_have_rubbish_ = TRY(collect_some_garbage(connection_));
    }
    return flush_ || merge_ || may_have_rubbish_;
}

void Upkeep::forget(const CollectionState& state) {
    if (flush_ && &flush_->state() == &state) flush_.reset();
    if (merge_ && &merge_->state() == &state) merge_.reset();
    may_have_rubbish_ = true;
}

}  // namespace quarry::index
