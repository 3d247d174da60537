// Pages of crawls whose jobs live in another store. Each such crawl has a row here that is paused for as long
// as it goes on, so that nothing of it is leased, and each of its visits a row among the URLs that have
// ended.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "store/sqlite/ledger.h"

namespace quarry::store {

Answer<std::vector<Visited>> keep_visits(Ledger& ledger, const KeptCrawl& crawl,
                                         std::span<const Visit> visits);

Answer<std::vector<std::optional<FormerPage>>> former_pages(Ledger& ledger, const KeptCrawl& crawl,
                                                            std::span<const UrlKey> keys);

}  // namespace quarry::store
