// What the index did for a page, stage by stage: what operation metrics are made of. It outlives the
// embedding queue, whose rows go a day after they ended.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/base_clock.h"
#include "model/model_ids.h"
#include "model/timings.h"

namespace quarry {

struct Operation {
    std::int64_t id = 0;  // given by the store
    Timestamp at{};
    JobId job{};  // in the embedding queue
    Timestamp job_created_at{};
    std::optional<GroupId> group{};  // the crawl that brought the page
    std::optional<Timestamp> group_created_at{};
    std::string collection{}, url{};
    std::string request_id{};  // of the request that began the crawl
    std::string error{};       // why the page was given up; "" if it was not
    Timings timings{};
};

// All of one day in one collection, once they are too old to be kept one by one.
struct OperationDay {
    Timestamp day{};  // its first moment, in UTC
    std::string collection{};
    std::int64_t pages = 0, failed = 0;
    Timings timings{};
};

}  // namespace quarry
