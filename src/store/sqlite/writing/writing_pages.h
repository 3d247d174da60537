// Pages that no crawl brought.
#pragma once

#include <span>

#include "store/sqlite/ledger.h"

namespace quarry::store {

// Writes some pages of a batch; the others of the batch's fields say how. The caller has checked them.
Answer<PagesWritten> write_pages(Ledger& ledger, const PageBatch& batch, std::span<const PageWrite> pages);

// How many of these may be written in one step without holding others up for long. At least one.
std::size_t pages_in_step(std::span<const PageWrite> pages);

}  // namespace quarry::store
