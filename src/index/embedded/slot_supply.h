// Gives out slots: those that nothing speaks of any more first, then new ones.
#pragma once

#include <algorithm>
#include <vector>

#include "index/embedded/embedded_postings.h"

namespace quarry::index {

class SlotSupply {
public:
    SlotSupply() = default;
    // `free` ascends, all of it below `next`.
    SlotSupply(std::vector<Slot> free, Slot next)
        : free_(std::move(free)), next_(next), settled_next_(next) {}

    Slot take() { return taken_ < free_.size() ? free_[taken_++] : next_++; }

    // What was taken since the last settle() is free again, or is not.
    void take_back() {
        taken_ = 0;
        next_ = settled_next_;
    }
    void settle() {
        free_.erase(free_.begin(), free_.begin() + static_cast<std::ptrdiff_t>(taken_));
        taken_ = 0;
        settled_next_ = next_;
    }

    void give_back(const std::vector<Slot>& slots) {
        free_.insert(free_.end(), slots.begin(), slots.end());
        std::ranges::sort(free_);
    }

private:
    std::vector<Slot> free_;
    std::size_t taken_ = 0;
    Slot next_ = 0, settled_next_ = 0;
};

}  // namespace quarry::index
