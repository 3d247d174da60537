// Changes of many jobs at once, by a filter, some at a time.
#pragma once

#include <functional>
#include <optional>

#include "store/rules/filters.h"
#include "store/redis/finisher.h"
#include "store/redis/link.h"
#include "store/store.h"

namespace quarry::store::redis {

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
                 Haste haste);

}  // namespace quarry::store::redis
