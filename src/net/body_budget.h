// Bounds the bodies that all transfers of a client hold in memory together. Without it 256 servers that send
// 50 MB each would be 12 GB, each within its limit.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>

namespace quarry::net {

class Transfer;

// Used only on the client's thread. A transfer that finds no room waits, except one: the first to find none
// goes on to its end, so that there always is an end, and then room. So the bodies are never larger together
// than the budget, one body, and what one block of compressed data unpacks to.
class BodyBudget {
public:
    explicit BodyBudget(std::uint64_t max_bytes) : max_bytes_(max_bytes) {}

    bool has_room() const { return used_bytes_ < max_bytes_; }

    // Whether the transfer may take more of its body now. If not, it is in line for next_resumable().
    bool may_grow(Transfer& transfer) {
        if (has_room() || favourite_ == &transfer) return true;
        if (!favourite_) {
            favourite_ = &transfer;
            return true;
        }
        waiting_.push_back(&transfer);
        return false;
    }

    void add(std::uint64_t bytes) { used_bytes_ += bytes; }

    // The transfer has handed over the `bytes` it had added, or dropped them.
    void release(const Transfer& transfer, std::uint64_t bytes) {
        used_bytes_ -= bytes;
        if (favourite_ == &transfer) favourite_ = nullptr;
        std::erase(waiting_, &transfer);
    }

    // The first in line, if it could go on now, or nothing. It leaves the line.
    Transfer* next_resumable() {
        if (waiting_.empty() || (!has_room() && favourite_)) return nullptr;
        Transfer* next = waiting_.front();
        waiting_.pop_front();
        return next;
    }

private:
    const std::uint64_t max_bytes_;
    std::uint64_t used_bytes_ = 0;
    const Transfer* favourite_ = nullptr;  // goes on without room
    std::deque<Transfer*> waiting_;
};

}  // namespace quarry::net
