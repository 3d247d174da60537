#include "index/embedded/merging.h"

#include <algorithm>
#include <utility>

#include <time.h>

#include "index/embedded/segments.h"

namespace quarry::index {

namespace {

class PartCursor : public TermCursor {
public:
    PartCursor(const Part& part, std::string_view after) : part_(part), at_(part.lower_bound(after)) {
        if (at_ < part_.terms() && part_.term(at_) == after) ++at_;
    }

    Result<bool> next() override {
        if (at_ == part_.terms()) return false;
        term_ = part_.term(at_);
        postings_ = part_.postings(at_);
        ++at_;
        return true;
    }

private:
    const Part& part_;
    std::size_t at_;
};

// Slots are given out in order, so there is something to do only if some were used again.
void put_in_order(std::vector<Posting>& postings) {
    if (std::ranges::adjacent_find(postings, std::ranges::greater_equal{}, &Posting::slot) ==
        postings.end()) {
        return;
    }
    std::ranges::stable_sort(postings, {}, &Posting::slot);
    // A slot that is named twice is a damage that nobody has noticed yet; it must not become a worse one.
    const auto repeated = std::ranges::unique(postings, {}, &Posting::slot);
    postings.erase(repeated.begin(), repeated.end());
}

}  // namespace

std::unique_ptr<TermCursor> open_part(const Part& part, std::string_view after) {
    return std::make_unique<PartCursor>(part, after);
}

Merge::Merge(std::vector<std::unique_ptr<TermCursor>> inputs, const Bits& keep)
    : inputs_(std::move(inputs)), keep_(keep) {}

// Of one term the inputs keep their order, which is mostly that of their slots.
bool Merge::comes_later(std::size_t a, std::size_t b) const {
    const auto order = inputs_[a]->term() <=> inputs_[b]->term();
    return order == 0 ? a > b : order > 0;
}

Result<void> Merge::advance(std::size_t input) {
    if (!TRY(inputs_[input]->next())) return {};
    heap_.push_back(input);
    std::ranges::push_heap(heap_, [this](std::size_t a, std::size_t b) { return comes_later(a, b); });
    return {};
}

Result<void> Merge::begin() {
    has_begun_ = true;
    for (std::size_t input = 0; input < inputs_.size(); ++input) TRY(advance(input));
    return {};
}

Result<void> Merge::take_smallest() {
    std::ranges::pop_heap(heap_, [this](std::size_t a, std::size_t b) { return comes_later(a, b); });
    const std::size_t input = heap_.back();
    heap_.pop_back();
    const bool is_sound = each_posting(inputs_[input]->postings(), UINT32_MAX, [this](Slot slot, auto count) {
        if (keep_.has(slot)) gathered_.push_back({.slot = slot, .count = count});
    });
    if (!is_sound) return fail(ErrorCode::corrupt, "the search index is damaged: a word's list is broken");
    return advance(input);
}

Result<bool> Merge::next() {
    if (!has_begun_) TRY(begin());
    while (!heap_.empty()) {
        term_bytes_ = inputs_[heap_.front()]->term();
        gathered_.clear();
        while (!heap_.empty() && inputs_[heap_.front()]->term() == term_bytes_) TRY(take_smallest());
        if (gathered_.empty()) continue;
        put_in_order(gathered_);
        posting_bytes_.clear();
        pack_postings(gathered_, posting_bytes_);
        term_ = term_bytes_;
        postings_ = posting_bytes_;
        return true;
    }
    return false;
}

Result<std::shared_ptr<const Part>> merge_parts(const std::vector<std::shared_ptr<const Part>>& parts,
                                                const Bits& keep) {
    std::vector<std::unique_ptr<TermCursor>> inputs;
    std::vector<Slot> slots;
    for (const auto& part : parts) {
        inputs.push_back(open_part(*part, {}));
        for (const Slot slot : part->slots()) {
            if (keep.has(slot)) slots.push_back(slot);
        }
    }
    std::ranges::sort(slots);
    auto merged = std::make_shared<Part>();
    merged->set_slots(std::move(slots));
    Merge merge(std::move(inputs), keep);
    while (TRY(merge.next())) merged->append(merge.term(), merge.postings());
    return merged;
}

namespace {

// What this thread has taken of the processor so far.
std::chrono::nanoseconds time_taken() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

Result<Rewriting> Rewriting::begin(db::Connection& connection, CollectionState& state, Inputs inputs) {
    Rewriting rewriting;
    rewriting.state_ = &state;
    rewriting.inputs_ = std::move(inputs);
    TRY(rewriting.sort_slots(connection));
    rewriting.target_ = TRY(begin_segment(connection, state.view.id));
    return rewriting;
}

Result<void> Rewriting::sort_slots(db::Connection& connection) {
    std::vector<Slot> all;
    for (const auto& part : inputs_.parts) all.insert(all.end(), part->slots().begin(), part->slots().end());
    for (const Segment& segment : inputs_.segments) {
        const std::vector<Slot> slots = TRY(segment_slots(connection, segment.id));
        all.insert(all.end(), slots.begin(), slots.end());
    }
    std::ranges::sort(all);
    keep_ = Bits(all.empty() ? 0 : all.back() + std::size_t{1});
    for (const Slot slot : all) {
        const bool is_live = state_->view.slots.is_live(slot);
        (is_live ? kept_ : dropped_).push_back(slot);
        if (is_live) keep_.set(slot);
    }
    return {};
}

bool Rewriting::has(const Part* part) const {
    return std::ranges::any_of(inputs_.parts, [&](const auto& input) { return input.get() == part; });
}

Result<bool> Rewriting::step(db::Connection& connection, ViewLock& lock, std::chrono::milliseconds time) {
    db::Transaction transaction = TRY(db::Transaction::begin(connection));
    const std::string before = last_term_;
    const auto written = [&]() -> Result<bool> {
        const bool is_done = TRY(write_leaves(connection, time));
        if (is_done) TRY(put_to_use(connection));
        TRY(transaction.commit());
        return is_done;
    }();
    if (!written) last_term_ = before;
    if (written && *written) change_view(lock);
    return written;
}

// True at the end of all inputs.
Result<bool> Rewriting::write_leaves(db::Connection& connection, std::chrono::milliseconds time) {
    const auto end = time_taken() + time;
    std::vector<std::unique_ptr<TermCursor>> cursors;
    for (const Segment& segment : inputs_.segments) {
        cursors.push_back(TRY(open_segment(connection, segment.id, last_term_)));
    }
    for (const auto& part : inputs_.parts) cursors.push_back(open_part(*part, last_term_));
    db::Statement insert = TRY(connection.prepare("INSERT INTO leaf VALUES(?1, ?2, ?3)"));
    LeafWriter leaves(insert, target_);
    Merge merge(std::move(cursors), keep_);
    bool has_more = true;
    for (int terms = 1; has_more; ++terms) {
        has_more = TRY(merge.next());
        if (!has_more) break;
        TRY(leaves.add(merge.term(), merge.postings()));
        last_term_ = merge.term();
        // The clock is slow beside a rare term, and fast beside a common one.
        if ((terms % 16 == 0 || merge.postings().size() > 10'000) && time_taken() >= end) break;
    }
    TRY(leaves.finish());
    return !has_more;
}

Result<void> Rewriting::put_to_use(db::Connection& connection) {
    TRY(use_segment(connection, target_, kept_));
    for (const Segment& segment : inputs_.segments) TRY(drop_segment(connection, segment.id));
    if (inputs_.parts.empty()) return {};
    db::Statement remove = TRY(connection.prepare("DELETE FROM pending WHERE id < ?2 AND collection = ?1"));
    return remove.bind(state_->view.id, inputs_.pending_before).run();
}

void Rewriting::change_view(ViewLock& lock) {
    Sources sources = *state_->view.sources;
    std::erase_if(sources.parts, [&](const auto& part) { return has(part.get()); });
    std::erase_if(sources.segments, [&](const Segment& segment) {
        return std::ranges::find(inputs_.segments, segment.id, &Segment::id) != inputs_.segments.end();
    });
    sources.segments.push_back({.id = target_, .chunks = static_cast<std::int64_t>(kept_.size())});
    auto changed = std::make_shared<const Sources>(std::move(sources));
    {
        const auto changing = lock.to_change();
        state_->view.sources = std::move(changed);
    }
    state_->supply.give_back(dropped_);
}

Bits live_of(const SlotTable& slots, const std::vector<Slot>& of) {
    Bits bits(slots.size());
    for (const Slot slot : of) {
        if (slots.is_live(slot)) bits.set(slot);
    }
    return bits;
}

}  // namespace quarry::index
