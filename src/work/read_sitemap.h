// The job that reads one file in which a site lists its pages: the pages it names are admitted to the crawl,
// the files it names become jobs of their own.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "model/job.h"
#include "work/job_pool.h"

namespace quarry::work {

inline constexpr std::string_view read_sitemap_kind = "read_sitemap";

// For the start of a crawl: `site` is any URL of the site, and the files are those that its robots.txt names,
// or /sitemap.xml.
NewJob first_sitemaps_job(const std::string& site);

Result<store::Outcome> read_sitemap(const store::JobLease& job, const JobTools& tools);

}  // namespace quarry::work
