// The best of many candidates, without keeping the others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "index/embedded/embedded_postings.h"

namespace quarry::index {

struct Candidate {
    Slot slot = 0;
    float score = 0;
};

class Best {
public:
    explicit Best(std::size_t limit) : limit_(limit) { heap_.reserve(limit); }

    // What a candidate's score has to exceed to matter at all.
    float bar() const { return bar_; }

    void offer(Candidate candidate) {
        if (heap_.size() == limit_) {
            if (limit_ == 0 || !is_better(candidate, heap_.front())) return;
            std::ranges::pop_heap(heap_, is_better);
            heap_.back() = candidate;
        } else {
            heap_.push_back(candidate);
        }
        std::ranges::push_heap(heap_, is_better);
        if (heap_.size() == limit_) bar_ = heap_.front().score;
    }

    // Best first.
    std::vector<Candidate> finish() {
        std::ranges::sort_heap(heap_, is_better);
        return std::move(heap_);
    }

private:
    static bool is_better(const Candidate& a, const Candidate& b) {
        return a.score != b.score ? a.score > b.score : a.slot < b.slot;
    }

    std::size_t limit_;
    float bar_ = -1;               // every score is above it until there are enough
    std::vector<Candidate> heap_;  // the worst on top
};

}  // namespace quarry::index
