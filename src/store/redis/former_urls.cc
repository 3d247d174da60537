#include "store/redis/former_urls.h"

#include "store/redis/encoding.h"

namespace quarry::store::redis {

Result<void> FormerUrls::add_urls(db::RedisValue urls, int max_attempts, std::vector<UrlLease>& leased) {
    std::map<std::int64_t, OfGroup> groups;
    for (std::size_t index = 0; index < urls.size(); ++index) {
        const db::RedisValue url = urls[index];
        leased.push_back(url_lease_of(url, max_attempts));
        const std::int64_t id = url[2].integer();
        const bool may_have = has_former_.with([&](const auto& known) {
            const auto found = known.find(id);
            return found == known.end() || found->second;
        });
        if (!may_have) continue;
        OfGroup& group = groups[id];
        group.crawl.id = GroupId(id);
        group.crawl.collection = url[11].string();
        group.crawl.site = url[12].string();
        group.crawl.zero_retention = url[13].is_true();
        group.places.push_back(leased.size() - 1);
        group.keys.push_back(leased.back().key);
    }
    for (const auto& [id, group] : groups) TRY(add_former(group, leased));
    return {};
}

Result<void> FormerUrls::add_former(const OfGroup& group, std::vector<UrlLease>& leased) {
    auto former = TRY(content_.former_pages(group.crawl, group.keys));
    has_former_.with([&](auto& known) {
        if (known.size() >= remembered_groups) known.clear();
        // What was once known of a crawl stays so: its own first pages are no former ones.
        known.try_emplace(number(group.crawl.id), !former.empty());
    });
    for (std::size_t index = 0; index < former.size() && index < group.places.size(); ++index)
        leased[group.places[index]].former = std::move(former[index]);
    return {};
}

}  // namespace quarry::store::redis
