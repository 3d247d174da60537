#include "store/sqlite/known_keys.h"

namespace quarry::store {

namespace {

// Keys are hashes already; the group only has to move them apart.
std::uint64_t high_of(GroupId group, const UrlKey& key) {
    return key.high ^ (static_cast<std::uint64_t>(number(group)) * 0x9e3779b97f4a7c15ull);
}

}  // namespace

bool KnownKeys::contains(GroupId group, const UrlKey& key) const {
    const std::uint64_t high = high_of(group, key);
    const Slot& slot = slots_[(high ^ key.low) % slot_count];
    return slot.high.load(std::memory_order_relaxed) == high &&
           slot.low.load(std::memory_order_relaxed) == key.low;
}

void KnownKeys::add(GroupId group, const UrlKey& key) {
    const std::uint64_t high = high_of(group, key);
    Slot& slot = slots_[(high ^ key.low) % slot_count];
    slot.high.store(high, std::memory_order_relaxed);
    slot.low.store(key.low, std::memory_order_relaxed);
}

void KnownKeys::clear() {
    for (Slot& slot : slots_) {
        slot.high.store(0, std::memory_order_relaxed);
        slot.low.store(0, std::memory_order_relaxed);
    }
}

}  // namespace quarry::store
