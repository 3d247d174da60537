// Ids in the order in which they came, eight bytes each. A deque would cost half a kilobyte even when it
// holds one id, and there is one of these for every group that waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace quarry::store {

class IdFifo {
public:
    bool empty() const { return head_ == ids_.size(); }
    std::size_t size() const { return ids_.size() - head_; }
    std::int64_t front() const { return ids_[head_]; }
    void push(std::int64_t id) { ids_.push_back(id); }

    void pop() {
        ++head_;
        // Moving what is left once half is gone costs each id one move in all.
        if (head_ >= 64 && head_ * 2 >= ids_.size()) compact();
        if (empty()) ids_.clear(), head_ = 0;
    }

    void clear() {
        ids_ = {};
        head_ = 0;
    }

private:
    void compact() {
        ids_.erase(ids_.begin(), ids_.begin() + static_cast<std::ptrdiff_t>(head_));
        head_ = 0;
    }

    std::vector<std::int64_t> ids_;
    std::size_t head_ = 0;
};

}  // namespace quarry::store
