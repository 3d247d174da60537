// From what was asked for to a crawl in the store. Everything else is done by the engine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "crawl/options/options.h"
#include "model/frontier.h"
#include "model/group.h"
#include "store/store.h"
#include "work/jobs/job_pool.h"

namespace quarry::work {

// Durable when it returns. Fails with `invalid_argument` as crawl::check does, or as Store::add_group does.
Result<GroupId> start_crawl(store::Store& store, const crawl::CrawlOptions& options);

// The URLs it begins with, as it knows them.
std::vector<FoundUrl> start_urls(const crawl::CrawlOptions& options);

// The same crawl again and again, at the times of a cron expression.
Result<store::Schedule> crawl_schedule(const std::string& name, const std::string& cron,
                                       const crawl::CrawlOptions& options);

// The first job of a scheduled crawl: admits its start pages.
inline constexpr std::string_view begin_crawl_kind = "begin_crawl";
Result<store::Outcome> begin_crawl(const store::JobLease& job, const JobTools& tools);

}  // namespace quarry::work
