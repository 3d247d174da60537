// Postings of some chunks in memory, terms in order: what a transaction added, until it is written as a
// segment. Never changed once made.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "index/embedded/postings.h"
#include "text/terms/terms.h"

namespace quarry::index {

class Part {
public:
    std::size_t terms() const { return ends_.size(); }
    std::string_view term(std::size_t at) const;
    std::string_view postings(std::size_t at) const;

    // The term's postings; "" if it has none here.
    std::string_view find(std::string_view term) const;
    // The first term that is not less.
    std::size_t lower_bound(std::string_view term) const;

    // Those whose postings these are, ascending.
    const std::vector<Slot>& slots() const { return slots_; }
    void set_slots(std::vector<Slot> slots) { slots_ = std::move(slots); }

    // Terms come in order.
    void append(std::string_view term, std::string_view postings);

private:
    struct Ends {
        std::uint32_t letters = 0, bytes = 0;
    };

    std::string letters_, bytes_;
    std::vector<Ends> ends_;  // of the nth term in letters_, of its postings in bytes_
    std::vector<Slot> slots_;
};

// Turns chunks with their terms into terms with their chunks.
class PartBuilder {
public:
    PartBuilder();

    // Slots ascend. The terms are copied.
    void add(Slot slot, const std::vector<text::TermCount>& terms);
    std::shared_ptr<const Part> finish();

private:
    struct Entry {
        std::uint32_t term = 0;
        Posting posting{};
    };
    struct Word {
        std::uint64_t hash = 0;
        std::uint32_t begin = 0, size = 0;  // in letters_
        std::uint32_t count = 0;            // of its postings
    };

    std::uint32_t number_of(std::string_view term);
    void widen();
    std::string_view text(std::uint32_t word) const;
    std::vector<std::uint32_t> words_in_order() const;

    std::string letters_;
    std::vector<Word> words_;
    std::vector<std::uint32_t> table_;  // by hash, the word's number plus one; 0: free
    std::vector<Entry> entries_;
    std::vector<Slot> slots_;
};

}  // namespace quarry::index
