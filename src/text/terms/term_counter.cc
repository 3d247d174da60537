#include "text/terms/term_counter.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace quarry::text {
namespace {

// Multiplies eight bytes at a time; only speed hangs on its quality.
std::uint32_t hash(std::string_view word) {
    std::uint64_t state = word.size();
    while (!word.empty()) {
        std::uint64_t bytes = 0;
        const std::size_t count = std::min<std::size_t>(word.size(), 8);
        std::memcpy(&bytes, word.data(), count);
        state = (state ^ bytes) * 0x9E3779B97F4A7C15;
        state ^= state >> 29;
        word.remove_prefix(count);
    }
    return static_cast<std::uint32_t>(state >> 16);
}

// A bag outlives the reader's buffers, so its letters move into a string of its own.
void own_letters(TermBag& bag) {
    std::size_t bytes = 0;
    for (const TermCount& each : bag.counts) bytes += each.term.size();
    auto letters = std::make_shared<std::string>();
    letters->reserve(bytes);
    for (TermCount& each : bag.counts) {
        const std::size_t begin = letters->size();
        *letters += each.term;
        each.term = std::string_view(letters->data() + begin, each.term.size());
    }
    bag.letters = std::move(letters);
}

}  // namespace

// The slot's index; 0 means that the term is new and its index is to be written there.
std::uint32_t& TermCounter::place_of(std::string_view term, const std::vector<TermCount>& counts) {
    const std::uint32_t term_hash = hash(term);
    for (std::size_t at = term_hash % slots_.size();; at = (at + 1) % slots_.size()) {
        Slot& slot = slots_[at];
        if (slot.index == 0) slot.hash = term_hash;
        if (slot.index == 0 || (slot.hash == term_hash && counts[slot.index - 1].term == term))
            return slot.index;
    }
}

TermBag TermCounter::count(std::span<const Term> terms) {
    std::size_t slot_count = 64;
    while (slot_count < terms.size() * 2) slot_count *= 2;
    slots_.assign(slot_count, {});
    TermBag bag;
    for (const Term& term : terms) {
        bag.length += !term.is_part;
        std::uint32_t& index = place_of(term.text, bag.counts);
        if (index == 0) {
            bag.counts.push_back({term.text, 0});
            index = static_cast<std::uint32_t>(bag.counts.size());
        }
        ++bag.counts[index - 1].count;
    }
    own_letters(bag);
    return bag;
}

}  // namespace quarry::text
