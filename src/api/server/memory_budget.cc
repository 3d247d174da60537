#include "api/server/memory_budget.h"

namespace quarry::api {

MemoryBudget::Share MemoryBudget::share_of(std::string owner) {
    return {shared_from_this(), std::move(owner)};
}

std::uint64_t MemoryBudget::used() const {
    const std::lock_guard lock(mutex_);
    return used_;
}

MemoryBudget::Room MemoryBudget::take(const std::string& owner, std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto [entry, is_new] = used_by_.try_emplace(owner, 0);
    Room room = Room::enough;
    if (!is_new && entry->second + bytes > most_bytes_of_owner_) room = Room::none_for_owner;
    if (used_ + bytes > most_bytes_) room = Room::none;
    if (room == Room::enough) {
        used_ += bytes;
        entry->second += bytes;
    }
    if (entry->second == 0) used_by_.erase(entry);
    return room;
}

void MemoryBudget::give_back(const std::string& owner, std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    used_ -= bytes;
    const auto entry = used_by_.find(owner);
    entry->second -= bytes;
    if (entry->second == 0) used_by_.erase(entry);
}

MemoryBudget::Room MemoryBudget::Share::grow_to(std::uint64_t bytes) {
    if (!budget_ || bytes <= bytes_) return Room::enough;
    const Room room = budget_->take(owner_, bytes - bytes_);
    if (room == Room::enough) bytes_ = bytes;
    return room;
}

void MemoryBudget::Share::shrink_to(std::uint64_t bytes) {
    if (!budget_ || bytes >= bytes_) return;
    budget_->give_back(owner_, bytes_ - bytes);
    bytes_ = bytes;
}

}  // namespace quarry::api
