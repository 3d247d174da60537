// Pages of crawls whose jobs and URLs live in another store (redis/), which may be that of many hosts. Such a
// crawl has a row here, paused as long as it goes on, so that its pages can be listed and erased.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "store/postgres/ledger.h"

namespace quarry::store::postgres {

Answer<std::vector<Visited>> keep_visits(Ledger& ledger, const KeptCrawl& crawl,
                                         std::span<const Visit> visits);
Answer<std::vector<std::optional<FormerPage>>> former_pages(Ledger& ledger, const KeptCrawl& crawl,
                                                            std::span<const UrlKey> keys);

}  // namespace quarry::store::postgres
