#include "work/owner_quotas.h"

#include "store/page_quota.h"

namespace quarry::work {

std::optional<OwnerQuotas::Taken> OwnerQuotas::take(const std::string& owner, store::Reader& reader,
                                                    Timestamp now) {
    // A limit may be changed while a crawl runs; one that is used up may be raised.
    constexpr std::chrono::seconds fresh_for{10}, used_up_for{1};
    constexpr std::size_t most_known = 10'000;
    if (quotas_.size() >= most_known) quotas_.clear();
    Quota& quota = quotas_[owner];
    const bool is_used_up = quota.left && *quota.left <= 0;
    const auto age = quota.read_at ? now - *quota.read_at : Timestamp::duration::max();
    if (age >= (is_used_up ? used_up_for : fresh_for)) {
        if (const auto left = store::pages_left(reader, owner, now)) {
            quota.left = nullptr;
            if (*left) quota.left = std::make_shared<std::atomic<std::int64_t>>(**left);
        }
        quota.read_at = now;
    }
    Taken taken;
    if (!quota.left) return taken;
    if (*quota.left <= 0) return std::nullopt;
    --*quota.left;
    taken.left_ = quota.left;
    return taken;
}

}  // namespace quarry::work
