// What an outcome brings beside its own end: pages, links, jobs, rules of hosts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "store/postgres/ledger.h"

namespace quarry::store::postgres {

// Of a job or URL of the group, if there is one that is not over.
Result<void> apply_effects(Ledger& ledger, OpenGroup* group, const Outcome& outcome);

struct SavedPages {
    std::optional<std::int64_t> content{};  // of the first
    bool must_fetch_again = false;          // the former words are gone
};
// The pages that a URL or job of the group has brought.
Result<SavedPages> save_pages(Ledger& ledger, OpenGroup& group, std::int64_t url,
                              std::span<const PageWrite> pages);

}  // namespace quarry::store::postgres
