#include "index/embedded/merge.h"

#include <algorithm>
#include <utility>

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

}  // namespace quarry::index
