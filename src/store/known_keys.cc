#include "store/known_keys.h"

#include <algorithm>

namespace quarry::store {

namespace {

// Keys are hashes already; the group only has to move them apart.
std::uint64_t high_of(GroupId group, const UrlKey& key) {
    return key.high ^ (static_cast<std::uint64_t>(number(group)) * 0x9e3779b97f4a7c15ull);
}

}  // namespace

bool KnownKeys::contains(GroupId group, const UrlKey& key) const {
    const std::uint64_t high = high_of(group, key);
    const Slot* slots = &slots_[first_place(high, key.low)];
    return std::any_of(slots, slots + places, [&](const Slot& slot) {
        return slot.high.load(std::memory_order_relaxed) == high &&
               slot.low.load(std::memory_order_relaxed) == key.low;
    });
}

void KnownKeys::add(GroupId group, const UrlKey& key) {
    if (contains(group, key)) return;
    const std::uint64_t high = high_of(group, key);
    Slot* slots = &slots_[first_place(high, key.low)];
    const auto is_free = [](const Slot& slot) {
        return slot.high.load(std::memory_order_relaxed) == 0 &&
               slot.low.load(std::memory_order_relaxed) == 0;
    };
    Slot* slot = std::find_if(slots, slots + places, is_free);
    // Bits that did not choose the places choose among them.
    if (slot == slots + places) slot = slots + (high >> 32) % places;
    slot->high.store(high, std::memory_order_relaxed);
    slot->low.store(key.low, std::memory_order_relaxed);
}

void KnownKeys::clear() {
    for (Slot& slot : slots_) {
        slot.high.store(0, std::memory_order_relaxed);
        slot.low.store(0, std::memory_order_relaxed);
    }
}

}  // namespace quarry::store
