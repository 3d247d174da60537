#include "store/owner_quota.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "base/units.h"
#include "model/collection.h"

namespace quarry::store {
namespace {

bool is_of(const std::string& owner, std::string_view collection) {
    if (owner == local_owner) return !collection.contains('~');
    return collection.starts_with(owner + '~');
}

// Also what crawls without retention would have, which of the newest there are.
Result<std::vector<std::string>> collections_of(Reader& reader, const std::string& owner) {
    constexpr int most_groups = 1'000;
    std::vector<std::string> names;
    for (const Collection& collection : TRY(reader.collections()))
        if (is_of(owner, collection.name)) names.push_back(collection.name);
    for (const Group& group : TRY(reader.groups({.owner = owner, .limit = most_groups})))
        names.push_back(private_collection(group.id));
    return names;
}

}  // namespace

Result<std::optional<std::int64_t>> pages_left(Reader& reader, const std::string& owner, Timestamp now) {
    constexpr std::chrono::hours month{24 * 30};
    const auto limits = TRY(reader.limits(owner));
    const std::int64_t quota = limits ? limits->pages_per_month : 0;
    if (quota <= 0) return std::nullopt;
    std::int64_t used = 0;
    for (const UsageDay& day : TRY(reader.usage(owner, now - month))) used += day.pages;
    return std::max<std::int64_t>(quota - used, 0);
}

Result<std::optional<std::int64_t>> storage_left(Reader& reader, const std::string& owner) {
    const auto limits = TRY(reader.limits(owner));
    const std::int64_t quota = limits ? limits->stored_bytes : 0;
    if (quota <= 0) return std::nullopt;
    const auto collections = TRY(collections_of(reader, owner));
    return quota - TRY(reader.stored_bytes(collections));
}

bool StorageLooks::is_used_up(Reader& reader, const std::string& owner, Timestamp now) {
    constexpr std::chrono::milliseconds least_fresh{30'000};
    constexpr int share_of_time = 50;  // at most one part in so many is spent on looking
    constexpr std::size_t most_known = 10'000;
    const Look known = looks_.with([&](auto& looks) { return looks[owner]; });
    if (now < known.fresh_until) return known.is_used_up;
    const auto began = std::chrono::steady_clock::now();
    const auto left = storage_left(reader, owner);
    const auto took =
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began);
    const Look look{.fresh_until = now + std::max(least_fresh, share_of_time * took),
                    .is_used_up = left ? *left && **left <= 0 : known.is_used_up};
    looks_.with([&](auto& looks) {
        if (looks.size() >= most_known) looks.clear();
        looks[owner] = look;
    });
    return look.is_used_up;
}

std::string pages_sentence(std::int64_t pages_per_month, const std::string& owner) {
    return fmt::format("the {} pages that {} may have fetched in 30 days are used up", pages_per_month,
                       owner);
}

std::string storage_sentence(std::int64_t stored_bytes, const std::string& owner) {
    return fmt::format(
        "the {} of pages that {} may keep are used up: forget some (quarry forget), or raise the "
        "limit (quarry keys limits)",
        format_bytes(static_cast<std::uint64_t>(stored_bytes)), owner);
}

}  // namespace quarry::store
