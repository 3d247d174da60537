// Ids in the order in which they came, eight bytes each. A deque would cost half a kilobyte even when it
// holds one id, and there is one of these for every group that waits; a vector would need three times its
// size while it grows to a million.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace quarry::store {

class IdFifo {
public:
    bool empty() const { return next_ == first_.size(); }
    std::int64_t front() const { return first_[next_]; }

    void push(std::int64_t id) {
        if (!rest_ && first_.size() < few) {
            first_.push_back(id);
            return;
        }
        if (!rest_) rest_ = std::make_unique<std::deque<std::int64_t>>();
        rest_->push_back(id);
    }

    void pop() {
        ++next_;
        if (!empty()) return;
        first_.clear();
        next_ = 0;
        if (rest_) refill();
    }

    void clear() { *this = {}; }

private:
    static constexpr std::size_t few = 64;

    void refill() {
        const auto count = static_cast<std::ptrdiff_t>(std::min(few, rest_->size()));
        first_.assign(rest_->begin(), rest_->begin() + count);
        rest_->erase(rest_->begin(), rest_->begin() + count);
        if (rest_->empty()) rest_.reset();
    }

    // The invariant: if `first_` is used up, there is nothing in `rest_` either.
    std::vector<std::int64_t> first_;
    std::size_t next_ = 0;
    std::unique_ptr<std::deque<std::int64_t>> rest_;
};

}  // namespace quarry::store
