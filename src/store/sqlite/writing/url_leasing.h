// Which URLs a worker gets: crawls take turns by priority, fair between owners; within a crawl its hosts do.
#pragma once

#include <optional>

#include "store/sqlite/ledger.h"

namespace quarry::store {

// Adds URLs and rules of hosts to `leased`. Returns when a host that was passed over may be asked again.
Result<std::optional<Timestamp>> lease_urls(Ledger& ledger, const Demand& demand, Leased& leased);

}  // namespace quarry::store
