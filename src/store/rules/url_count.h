// How the URLs of a crawl are counted, by every store.
#pragma once

#include "model/frontier.h"
#include "model/group.h"

namespace quarry::store {

// What is said of a job, URL or change whose workers died once too often.
inline constexpr std::string_view worker_timed_out = "Worker timed out";

// Adds `change` to the counter of URLs in this state. `status` is what HTTP said: 404 and 410 are counted
// too.
void count_url(GroupCounters& counters, UrlState state, int status, std::int64_t change);

}  // namespace quarry::store
