#include "work/jobs/settle_crawl.h"

#include "work/jobs/crawl_jobs.h"

namespace quarry::work {

namespace {

// A crawl that stopped at a limit has not seen the whole site, and one that could not read pages may have
// missed those that only they link to.
bool saw_the_whole_site(const Group& crawl, const crawl::CrawlOptions& options) {
    const GroupCounters& counters = crawl.counters;
    const bool met_no_limit = counters.completed < crawl.page_limit && counters.not_admitted == 0;
    return met_no_limit && counters.queued == 0 && counters.completed > 0 &&
           counters.failed == counters.gone && !options.max_depth && !options.list_only_seeds;
}

}  // namespace

Result<store::Outcome> settle_crawl(const store::JobLease& job, const JobTools& tools) {
    store::Outcome outcome{.end = store::Completed{}};
    if (!job.group) return outcome;
    const Group crawl = TRY(tools.reader.group(*job.group));
    const crawl::CrawlOptions options = TRY(crawl::options_of(crawl));
    if (options.prune && crawl.counters.completed > 0) {
        outcome.settle = store::SettlePages{.after_misses = 1};
    } else if (saw_the_whole_site(crawl, options)) {
        outcome.settle = store::SettlePages{};
    }
    return outcome;
}

}  // namespace quarry::work
