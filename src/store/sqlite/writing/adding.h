// How work enters: jobs, groups with their first jobs and URLs, and URLs that a page led to.
#pragma once

#include <span>
#include <vector>

#include "store/sqlite/ledger.h"

namespace quarry::store {

Answer<std::vector<Added>> add_jobs(Ledger& ledger, std::span<const NewJob> jobs);
Answer<GroupId> add_group(Ledger& ledger, const NewGroup& group, std::span<const NewJob> jobs,
                          std::span<const FoundUrl> seeds);

// Without asking whether there is room: for what the store itself adds, and for outcomes, which cannot be
// refused. A unique key that is taken is still respected.
Result<Added> insert_job(Ledger& ledger, const NewJob& job);

// Adds the URLs that the group does not know, up to its limit.
Result<void> admit(Ledger& ledger, OpenGroup& group, std::span<const FoundUrl> urls);

}  // namespace quarry::store
