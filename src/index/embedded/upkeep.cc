#include "index/embedded/upkeep.h"

#include <algorithm>
#include <array>
#include <utility>

#include "index/embedded/merge.h"
#include "index/embedded/rubbish.h"
#include "index/embedded/segment_rows.h"

namespace quarry::index {

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

Result<void> Upkeep::merge_parts_of(Shelf& shelf) {
    while (true) {
        std::vector<std::shared_ptr<const Part>> idle = shelf.view.sources->parts;
        if (flush_) std::erase_if(idle, [&](const auto& part) { return flush_->has(part.get()); });
        const auto inputs = alike(idle, merged_together, [](const auto& part) {
            return static_cast<std::int64_t>(part->slots().size());
        });
        if (inputs.empty()) return {};
        std::vector<Slot> slots, dropped;
        for (const auto& part : inputs) slots.insert(slots.end(), part->slots().begin(), part->slots().end());
        for (const Slot slot : slots) {
            if (!shelf.view.slots.is_live(slot)) dropped.push_back(slot);
        }
        Sources sources = *shelf.view.sources;
        std::erase_if(sources.parts, [&](const auto& part) { return std::ranges::count(inputs, part) > 0; });
        sources.parts.push_back(TRY(merge_parts(inputs, live_of(shelf.view.slots, slots))));
        auto changed = std::make_shared<const Sources>(std::move(sources));
        {
            const auto changing = lock_.to_change();
            shelf.view.sources = std::move(changed);
        }
        shelf.supply.give_back(dropped);
    }
}

// The largest tail first, if all of them together are large.
Result<void> Upkeep::begin_flush(std::int64_t next_chunk, std::int64_t tail_limit) {
    std::int64_t all = 0, most = 0;
    Shelf* largest = nullptr;
    for (const auto& [name, shelf] : shelves_) {
        const std::int64_t chunks = shelf->view.sources->chunks_in_parts();
        all += chunks;
        if (chunks <= most) continue;
        most = chunks;
        largest = shelf.get();
    }
    if (!largest || all < tail_limit) return {};
    Rewriting::Inputs inputs{.parts = largest->view.sources->parts, .pending_before = next_chunk};
    flush_ = TRY(Rewriting::begin(connection_, *largest, std::move(inputs)));
    return {};
}

Result<void> Upkeep::begin_merge() {
    for (const auto& [name, shelf] : shelves_) {
        const CollectionView& view = shelf->view;
        std::vector<Segment> inputs = segments_alike(*view.sources, merged_together);
        const std::int64_t many = view.slots.live() / 2 + static_cast<std::int64_t>(tail_chunks_);
        if (inputs.empty() && dead_slots(view) > many) inputs = TRY(most_dead(connection_, view));
        if (inputs.empty()) continue;
        merge_ = TRY(Rewriting::begin(connection_, *shelf, {.segments = std::move(inputs)}));
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
    for (const auto& [name, shelf] : shelves_) {
        waiting += shelf->view.sources->chunks_in_parts();
        if (merge_ && !segments_alike(*shelf->view.sources, too_many_alike).empty()) return true;
    }
    return flush_ && waiting >= static_cast<std::int64_t>(2 * tail_chunks_);
}

Result<void> Upkeep::keep_up(Shelf& shelf, std::int64_t next_chunk, std::size_t chunks) {
    TRY(merge_parts_of(shelf));
    std::size_t rounds = 1 + chunks / chunks_per_round;
    if (is_behind()) rounds *= hurry;
    for (; rounds > 0; --rounds) {
        TRY(begin_due(next_chunk, static_cast<std::int64_t>(tail_chunks_)));
        if (!flush_ && !merge_ && !may_have_rubbish_) break;
        if (flush_) TRY(step(flush_));
        if (merge_) {
            TRY(step(merge_));
        } else if (may_have_rubbish_) {
            may_have_rubbish_ = TRY(remove_some_rubbish(connection_));
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
        may_have_rubbish_ = TRY(remove_some_rubbish(connection_));
    }
    return flush_ || merge_ || may_have_rubbish_;
}

void Upkeep::forget(const Shelf& shelf) {
    if (flush_ && &flush_->shelf() == &shelf) flush_.reset();
    if (merge_ && &merge_->shelf() == &shelf) merge_.reset();
    may_have_rubbish_ = true;
}

}  // namespace quarry::index
