// How long the pages of a crawl may wait for a server that says "too many requests".
#pragma once

#include <chrono>
#include <map>

#include "base/base_clock.h"
#include "base/guarded.h"
#include "model/model_ids.h"

namespace quarry::work {

// Each page may be sent away for five minutes without losing an attempt. Known to this process alone: another
// that goes on with the crawl begins to count anew. Any thread.
class Patience {
public:
    bool has_left(JobId url, Timestamp now) {
        return since_.with(
            [&](auto& since) { return now - since.try_emplace(url, now).first->second < longest; });
    }
    void forget(JobId url) {
        since_.with([&](auto& since) { since.erase(url); });
    }

private:
    static constexpr std::chrono::minutes longest{5};

    Guarded<std::map<JobId, Timestamp>> since_;  // when it was first sent away
};

}  // namespace quarry::work
