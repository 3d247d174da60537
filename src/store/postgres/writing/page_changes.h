// What is done to pages that no crawl brings: they are written, and all that a filter means are forgotten or
// indexed again, step by step.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "store/postgres/ledger.h"

namespace quarry::store::postgres {

struct PagesChanged {
    std::int64_t count = 0;
    std::optional<std::int64_t> next{};  // where to go on; nothing at the end
};

Answer<PagesChanged> forget_pages(Ledger& ledger, const PageFilter& filter, std::int64_t after);
Answer<PagesChanged> index_pages_again(Ledger& ledger, const PageFilter& filter, IndexAgain which,
                                       std::int64_t after);

// The pages of the group are indexed from now on. `not_found` if there is no such group.
Answer<void> let_group_index(Ledger& ledger, GroupId group);

Answer<PagesWritten> write_pages(Ledger& ledger, const PageBatch& batch, std::span<const PageWrite> pages);
// How many of them make one transaction.
std::size_t pages_in_step(std::span<const PageWrite> pages);

Answer<void> set_collection(Ledger& ledger, const Collection& collection);
Answer<bool> remove_collection(Ledger& ledger, const std::string& name);

}  // namespace quarry::store::postgres
