// The job that reads one file in which a site lists its pages: the pages it names are admitted to the crawl,
// the files it names become jobs of their own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "crawl/sitemap.h"
#include "model/frontier.h"
#include "model/job.h"
#include "work/crawl_context.h"
#include "work/jobs/job_pool.h"

namespace quarry::work {

inline constexpr std::string_view read_sitemap_kind = "read_sitemap";

// For the start of a crawl: `site` is any URL of the site, and the files are those that its robots.txt names,
// or /sitemap.xml.
NewJob first_sitemaps_job(const std::string& site);

// The pages that a sitemap named by the user lists, on the hosts of the crawl wherever on them; and the
// sitemaps that it lists, to be read likewise.
std::vector<FoundUrl> listed_urls(const crawl::Sitemap& sitemap, CrawlContext& crawl);

Result<store::Outcome> read_sitemap(const store::JobLease& job, const JobTools& tools);

}  // namespace quarry::work
