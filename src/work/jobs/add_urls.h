// More pages for a batch that is under way.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/group.h"
#include "store/store.h"
#include "work/jobs/job_pool.h"

namespace quarry::work {

// Durable when it returns; those that the batch knows already change nothing. `not_found`; `conflict` if it
// is over.
Result<void> add_urls(store::Store& store, GroupId batch, const std::vector<std::string>& urls);

// The job that admits them.
inline constexpr std::string_view admit_urls_kind = "admit_urls";
Result<store::Outcome> admit_urls(const store::JobLease& job, const JobTools& tools);

}  // namespace quarry::work
