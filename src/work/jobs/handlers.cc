#include "work/jobs/handlers.h"

#include "work/jobs/add_urls.h"
#include "work/jobs/read_sitemap.h"
#include "work/jobs/settle_crawl.h"
#include "work/jobs/crawl_jobs.h"

namespace quarry::work {

std::map<std::string, Handler> all_handlers() {
    return {
        {std::string(read_sitemap_kind), read_sitemap},
        {std::string(settle_crawl_kind), settle_crawl},
        {std::string(begin_crawl_kind), begin_crawl},
        {std::string(admit_urls_kind), admit_urls},
    };
}

}  // namespace quarry::work
