// The last job of a crawl: what an earlier crawl of the same site stored and this one did not meet is counted
// as missing, and removed when it has been missing long enough.
#pragma once

#include <string_view>

#include "base/result.h"
#include "work/jobs/job_pool.h"

namespace quarry::work {

inline constexpr std::string_view settle_crawl_kind = "settle_crawl";

Result<store::Outcome> settle_crawl(const store::JobLease& job, const JobTools& tools);

}  // namespace quarry::work
