#include "work/owner_quotas.h"

namespace quarry::work {

std::expected<OwnerQuotas::Taken, OwnerQuotas::UsedUp> OwnerQuotas::take(const std::string& owner) {
    Taken taken;
    const auto quota = quotas_.find(owner);
    if (quota == quotas_.end()) return taken;
    if (quota->second.is_full) return std::unexpected(UsedUp::storage);
    const auto& left = quota->second.left;
    if (!left) return taken;
    if (*left <= 0) return std::unexpected(UsedUp::pages);
    --*left;
    taken.left_ = left;
    return taken;
}

OwnerQuotas::Due OwnerQuotas::due(const std::string& owner, Timestamp now) {
    constexpr std::chrono::seconds fresh_for{10}, used_up_for{1}, storage_fresh_for{30};
    Quota& quota = quotas_[owner];
    const bool is_used_up = quota.left && *quota.left <= 0;
    const auto is_old = [now](std::optional<Timestamp>& asked_at, std::chrono::seconds fresh) {
        if (asked_at && now - *asked_at < fresh) return false;
        asked_at = now;
        return true;
    };
    return {.pages = is_old(quota.asked_at, is_used_up ? used_up_for : fresh_for),
            .storage = is_old(quota.asked_for_storage_at, storage_fresh_for)};
}

void OwnerQuotas::learn_pages(const std::string& owner, std::optional<std::int64_t> left, Timestamp now) {
    constexpr std::size_t most_known = 10'000;
    if (quotas_.size() >= most_known && !quotas_.contains(owner)) quotas_.clear();
    Quota& quota = quotas_[owner];
    quota.left = left ? std::make_shared<std::atomic<std::int64_t>>(*left) : nullptr;
    quota.asked_at = now;
}

void OwnerQuotas::learn_storage(const std::string& owner, bool is_used_up) {
    quotas_[owner].is_full = is_used_up;
}

}  // namespace quarry::work
