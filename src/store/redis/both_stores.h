// What needs both stores, Redis and the content store beside it: URLs that are leased with what earlier
// crawls stored of them, changes of many jobs by a filter, outcomes of which some are of changes, and
// groups and jobs that go for good.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "base/guarded.h"
#include "base/result.h"
#include "db/redis/connection.h"
#include "store/redis/finisher.h"
#include "store/redis/link.h"
#include "store/rules/filters.h"
#include "store/store.h"

namespace quarry::store::redis {

// URLs as they were leased, with what earlier crawls stored of them.

class FormerUrls {
public:
    explicit FormerUrls(Store& content) : content_(content) {}

    // Reads the URLs of a lease's answer (lease.lua).
    Result<void> add_urls(db::RedisValue urls, int max_attempts, std::vector<UrlLease>& leased);

private:
    struct OfGroup {
        KeptCrawl crawl{};
        std::vector<std::size_t> places{};  // in `leased`
        std::vector<UrlKey> keys{};
    };
    Result<void> add_former(const OfGroup& group, std::vector<UrlLease>& leased);

    // A crawl of a site without pages need not be asked for again: it meets each page once.
    static constexpr std::size_t remembered_groups = 10'000;

    Store& content_;
    Guarded<std::map<std::int64_t, bool>> has_former_;
};

// Groups and jobs that go for good, from Redis and from the content store.

// What the content store is told of a group. `not_found`.
Result<KeptCrawl> kept_crawl(RedisLink& link, GroupId group);

// Removes a group from Redis, after the content store knows how it ended: there its row and its pages can be
// erased. `not_found`; `conflict` if it is not over.
Result<void> remove_group(RedisLink& link, Store& content, GroupId group);

// Removes jobs and groups that are too old until there are none, or until `end`. Returns how many jobs.
Result<std::int64_t> sweep_redis(RedisLink& link, Store& content, const Retention& retention,
                                 std::chrono::steady_clock::time_point end);

// Changes of many jobs at once, by a filter, some at a time.

// What of a filter is about jobs and URLs, and what about changes of the outbox. Nothing: it is not about
// them at all.
struct SplitFilter {
    std::optional<JobFilter> of_redis{}, of_content{};
};
SplitFilter split_filter(const JobFilter& filter);

struct BulkChanged {
    std::int64_t changed = 0;
    bool known_is_forgotten = false;
};
using BulkCall = std::function<Result<ScriptAnswer>(const Message&)>;
Result<BulkChanged> change_jobs(const BulkCall& call, const BulkRequest& request);

// Outcomes of which some are of changes: each store ends its own, and the callback hears of all.
struct BothStores {
    Store& content;
    Finisher& finisher;
};
void finish_both(BothStores stores, std::vector<Finished> finished, Store::FinishCallback callback,
                 CommitMode mode);

}  // namespace quarry::store::redis
