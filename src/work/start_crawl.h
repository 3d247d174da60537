// From what was asked for to a crawl in the store. Everything else is done by the engine.
#pragma once

#include "base/result.h"
#include "crawl/options.h"
#include "model/group.h"
#include "store/store.h"

namespace quarry::work {

// Durable when it returns. Fails with `invalid_argument` as crawl::check does, or as Store::add_group does.
Result<GroupId> start_crawl(store::Store& store, const crawl::CrawlOptions& options);

// The options a crawl was started with.
Result<crawl::CrawlOptions> options_of(const Group& group);

}  // namespace quarry::work
