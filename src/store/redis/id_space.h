// Ids of the job store and of the content store are told apart by their size.
#pragma once

#include <cstdint>

#include "model/model_ids.h"

namespace quarry::store::redis {

// Ids of 13 digits: Lua writes numbers of up to 14 digits as they are.
inline constexpr std::int64_t first_redis_id = std::int64_t{1} << 40;

// A change of the outbox, not a job or a URL.
inline bool is_of_content(JobId id) {
    return number(id) < first_redis_id;
}

inline bool is_of_content(GroupId id) {
    return number(id) < first_redis_id;
}

}  // namespace quarry::store::redis
