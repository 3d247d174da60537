// Which chunks a term is in, and how often: ascending slots with counts, packed. Nine in ten postings of
// ordinary text take one or two bytes, and reading one takes a few nanoseconds.
//
// A list is the number of postings, then for each the distance to the slot before (less one), doubled; if the
// count is not 1, that is odd and the count follows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "index/embedded/bits.h"
#include "index/embedded/postings.h"

namespace quarry::index {

// A chunk's place in everything that is kept in memory. Used again once nothing speaks of the former chunk.
using Slot = std::uint32_t;

struct Posting {
    Slot slot = 0;
    std::uint32_t count = 0;
    friend bool operator==(const Posting&, const Posting&) = default;
};

// Ascending slots, each once.
void pack_postings(const std::vector<Posting>& postings, std::string& bytes);

// Calls use(slot, count) for each. False if the list is damaged or names a slot from `slots` on; what came
// before was used.
template <typename Use>
bool each_posting(std::string_view bytes, std::size_t slots, Use use) {
    ByteReader reader(bytes);
    std::uint64_t next = 0;
    for (std::uint32_t left = reader.count(); left > 0; --left) {
        const std::uint64_t head = reader.number();
        const std::uint64_t slot = next + (head >> 1);
        const std::uint32_t count = (head & 1) != 0 ? reader.small_number() : 1;
        if (slot >= slots || !reader.is_sound()) return false;
        use(static_cast<Slot>(slot), count);
        next = slot + 1;
    }
    return reader.is_sound() && reader.at_end();
}

// How many chunks the list names, without reading it.
inline std::uint32_t posting_count(std::string_view bytes) {
    return ByteReader(bytes).count();
}

// Sets of slots at rest: ascending, as distances.
std::string pack_slots(const std::vector<Slot>& slots);
// False if they are damaged.
bool unpack_slots(std::string_view bytes, std::vector<Slot>& slots);

}  // namespace quarry::index
