// What an outcome wants beside the end of its own job: links, jobs, rules of hosts, pages that are gone.
#pragma once

#include "store/sqlite/ledger.h"

namespace quarry::store {

// Everything of an outcome except its end and its pages. `group` is that of the job, if it has one that is
// not over.
Result<void> apply_effects(Ledger& ledger, OpenGroup* group, const Outcome& outcome);

struct SavedPages {
    std::optional<ContentId> content{};  // of the first
    bool must_fetch_again = false;       // it was said to be unchanged, but what was stored is gone
};
Result<SavedPages> save_pages(Ledger& ledger, OpenGroup& group, JobId url, std::span<const PageWrite> pages);

}  // namespace quarry::store
