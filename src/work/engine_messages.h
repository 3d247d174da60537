// What the engine's threads tell its dispatcher.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "base/queues.h"
#include "base/result.h"
#include "model/ids.h"
#include "store/store.h"
#include "work/owner_quotas.h"
#include "work/robots_cache.h"

namespace quarry::work {

class CrawlContext;

struct LeasesArrived {
    store::Leased leased{};
};
struct NothingDue {  // the store has nothing for what was asked
    std::optional<Timestamp> next_due{};
    std::uint64_t question = 0;  // the one that was answered: see Leaser::ask
};
struct FetchEnded {
    HostId host{};
    std::shared_ptr<CrawlContext> crawl{};  // that it was counted in: a crawl that is retried has another one
};
struct CrawlLoaded {
    GroupId group{};
    Result<std::shared_ptr<CrawlContext>> crawl;
};
struct GroupSeen {
    GroupId group{};
    bool is_running = false, is_over = false;
};
struct QuotaRead {
    std::string owner{};
    OwnerQuotas::Said said{};
};
struct RobotsArrived {
    RobotsCache::Answer answer;
};
struct GroupChanged {
    GroupId group{};
};
struct JobEnded {};        // there is room for another
struct StoreTaskDone {};   // what was to be asked or told is
struct PagesDone {};       // room for more, or the last one is done
struct SlowStageEnded {};  // a page is back from the browser or a model: its crawl may have waited for that
struct ChangesDone {};     // some are in the index, or a space is in use
struct CrawlUnhealthy {
    GroupId group{};
    std::string reason{};
};
struct StoreFailed {
    Error error;
};
struct StopAsked {};

using Message = std::variant<LeasesArrived, NothingDue, FetchEnded, RobotsArrived, GroupChanged, GroupSeen,
                             CrawlLoaded, QuotaRead, JobEnded, StoreTaskDone, PagesDone, SlowStageEnded,
                             ChangesDone, CrawlUnhealthy, StoreFailed, StopAsked>;
using EngineMailbox = Mailbox<Message>;

}  // namespace quarry::work
