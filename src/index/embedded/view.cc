#include "index/embedded/collection.h"

#include <algorithm>
#include <utility>

namespace quarry::index {

std::uint32_t Names::number_of(std::string_view name) {
    const auto [found, is_new] =
        numbers_.try_emplace(std::string(name), static_cast<std::uint32_t>(names_.size()));
    if (is_new) names_.emplace_back(name);
    return found->second;
}

PageNumber PageTable::put(PageEntry entry) {
    const auto [found, is_new] = numbers_.try_emplace(number(entry.page), no_page);
    if (is_new && free_.empty()) {
        found->second = static_cast<PageNumber>(entries_.size());
        entries_.emplace_back();
    } else if (is_new) {
        found->second = free_.back();
        free_.pop_back();
    }
    entries_[found->second] = std::move(entry);
    return found->second;
}

void PageTable::remove(PageId page) {
    const auto found = numbers_.find(number(page));
    if (found == numbers_.end()) return;
    entries_[found->second] = {};
    free_.push_back(found->second);
    numbers_.erase(found);
}

void SlotTable::put(Slot slot, Entry entry, std::uint32_t length) {
    grow(slot + std::size_t{1});
    remove(slot);
    entries_[slot] = entry;
    lengths_[slot] = static_cast<std::uint16_t>(std::min<std::uint32_t>(length, UINT16_MAX));
    ++live_;
    total_length_ += lengths_[slot];
}

void SlotTable::grow(std::size_t size) {
    if (size <= entries_.size()) return;
    entries_.resize(size);
    lengths_.resize(size);
}

void SlotTable::remove(Slot slot) {
    if (!is_live(slot)) return;
    entries_[slot] = {};
    --live_;
    total_length_ -= lengths_[slot];
}

Bits SlotTable::live_bits() const {
    Bits bits(size());
    for (Slot slot = 0; slot < size(); ++slot) {
        if (is_live(slot)) bits.set(slot);
    }
    return bits;
}

std::int64_t Sources::chunks_in_parts() const {
    std::int64_t chunks = 0;
    for (const auto& part : parts) chunks += static_cast<std::int64_t>(part->slots().size());
    return chunks;
}

}  // namespace quarry::index
