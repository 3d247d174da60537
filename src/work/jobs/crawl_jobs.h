// The life of a crawl beside its pages: it begins, reads the sitemaps of its site, takes more pages if it
// is a batch, and is settled.
// start_crawl and add_urls write what was asked for into the store. The rest are handlers of jobs, which
// compute an outcome and write nothing.
// Settling counts what an earlier crawl of the site stored and this one did not meet as missing, and
// removes it when it has been missing long enough.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "crawl/options/options.h"
#include "crawl/sitemap.h"
#include "model/frontier.h"
#include "model/group.h"
#include "model/job.h"
#include "store/store.h"
#include "work/crawl_context.h"
#include "work/jobs/job_pool.h"

namespace quarry::work {

// From what was asked for to a crawl in the store. Everything else is done by the engine.

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

// The job that reads one file in which a site lists its pages: the pages it names are admitted to the crawl,
// the files it names become jobs of their own.

inline constexpr std::string_view read_sitemap_kind = "read_sitemap";

// For the start of a crawl: `site` is any URL of the site, and the files are those that its robots.txt names,
// or /sitemap.xml.
NewJob first_sitemaps_job(const std::string& site);

// The pages that a sitemap named by the user lists, on the hosts of the crawl wherever on them; and the
// sitemaps that it lists, to be read likewise.
std::vector<FoundUrl> listed_urls(const crawl::Sitemap& sitemap, CrawlContext& crawl);

Result<store::Outcome> read_sitemap(const store::JobLease& job, const JobTools& tools);

// More pages for a batch that is under way.

// Durable when it returns; those that the batch knows already change nothing. `not_found`; `conflict` if it
// is over.
Result<void> add_urls(store::Store& store, GroupId batch, const std::vector<std::string>& urls);

// The job that admits them.
inline constexpr std::string_view admit_urls_kind = "admit_urls";
Result<store::Outcome> admit_urls(const store::JobLease& job, const JobTools& tools);

// The last job of a crawl: what an earlier crawl of the same site stored and this one did not meet is counted
// as missing, and removed when it has been missing long enough.

inline constexpr std::string_view settle_crawl_kind = "settle_crawl";

Result<store::Outcome> settle_crawl(const store::JobLease& job, const JobTools& tools);

}  // namespace quarry::work
