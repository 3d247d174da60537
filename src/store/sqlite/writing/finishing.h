// Makes outcomes true: the work's end, its pages, links, jobs and counters, in one transaction.
#pragma once

#include <span>
#include <vector>

#include "store/sqlite/ledger.h"

namespace quarry::store {

Answer<std::vector<Verdict>> finish(Ledger& ledger, std::span<const Finished> finished);

}  // namespace quarry::store
