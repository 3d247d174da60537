#include "work/owner_quotas.h"

namespace quarry::work {

std::expected<OwnerQuotas::Taken, OwnerQuotas::UsedUp> OwnerQuotas::take(const std::string& owner) {
    Taken taken;
    const auto quota = quotas_.find(owner);
    if (quota == quotas_.end()) return taken;
    if (quota->second.is_storage_used_up) return std::unexpected(UsedUp::storage);
    const auto& left = quota->second.left;
    if (!left) return taken;
    if (*left <= 0) return std::unexpected(UsedUp::pages);
    --*left;
    taken.left_ = left;
    return taken;
}

bool OwnerQuotas::is_due(const std::string& owner, Timestamp now) {
    constexpr std::chrono::seconds fresh_for{10}, used_up_for{1};
    Quota& quota = quotas_[owner];
    const bool is_used_up = quota.is_storage_used_up || (quota.left && *quota.left <= 0);
    if (quota.asked_at && now - *quota.asked_at < (is_used_up ? used_up_for : fresh_for)) return false;
    quota.asked_at = now;
    return true;
}

void OwnerQuotas::learn(const std::string& owner, const Said& said, Timestamp now) {
    constexpr std::size_t most_known = 10'000;
    if (quotas_.size() >= most_known && !quotas_.contains(owner)) quotas_.clear();
    quotas_[owner] = {
        .left = said.pages_left ? std::make_shared<std::atomic<std::int64_t>>(*said.pages_left) : nullptr,
        .is_storage_used_up = said.is_storage_used_up,
        .asked_at = now};
}

}  // namespace quarry::work
