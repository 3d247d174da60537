// `crawl --every`.
#pragma once

#include <string>

#include "app/data_source.h"
#include "cli/command.h"
#include "crawl/options/options.h"

namespace quarry::cli {

// Has the crawl come again at the times of `cron`, in place of an earlier schedule of its first URL.
int schedule_crawl(const Session& session, const app::Workplace& place, const std::string& cron,
                   const crawl::CrawlOptions& options);

}  // namespace quarry::cli
