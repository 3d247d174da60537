// Finding chunks by words: BM25 over a collection, where every posting of every word counts, term after
// term. A filter decides once per search which pages are let through. Best keeps the best of many
// candidates.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/embedded/collection.h"
#include "index/embedded/postings.h"
#include "index/index.h"

namespace quarry::index {

// Which pages a filter lets through: decided once per search, looked up once per chunk.

class PageFilter {
public:
    PageFilter(const Filter& filter, const PageTable& pages);

    bool admits(PageNumber page) const { return !pages_ || pages_->has(page); }
    bool admits_all() const { return !pages_; }

private:
    std::optional<Bits> pages_;
};

// "docs.example.com" is of the site "example.com", and so is "example.com" itself.
bool is_of_host(std::string_view host, std::string_view wanted);

// BM25 over a collection: every posting of every word counts, term after term.

// A term's postings wherever they are, and how many they are.
struct TermLists {
    std::string term{};
    std::vector<std::string> lists{};
    std::int64_t chunks = 0;

    void add(std::string_view postings);
};

// A keyword query with the postings it needs.
struct QueryLists {
    struct Word {
        TermLists lists{};
        float weight = 1;
    };
    std::vector<Word> words{};
    std::vector<TermLists> required{}, excluded{};
};

// The best, best first; of equal ones, the earlier slot. `corrupt` if a list is damaged.
Result<std::vector<Scored>> best_matches(const CollectionView& view, const QueryLists& query,
                                         const Filter& filter, int limit);

// The best of many candidates, without keeping the others.

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
    static constexpr auto is_better = [](const Candidate& a, const Candidate& b) {
        return a.score != b.score ? a.score > b.score : a.slot < b.slot;
    };

    std::size_t limit_;
    float bar_ = -1;               // every score is above it until there are enough
    std::vector<Candidate> heap_;  // the worst on top
};

}  // namespace quarry::index
