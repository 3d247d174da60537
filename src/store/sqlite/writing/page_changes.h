// What is done to all pages that a filter means, step by step: they are forgotten, or indexed again.
#pragma once

#include <cstdint>
#include <optional>

#include "store/sqlite/ledger.h"
#include "store/sqlite/tables/page_walk.h"

namespace quarry::store {

struct PagesChanged {
    std::int64_t count = 0;
    std::optional<PagePlace> next{};  // where to go on; nothing at the end
};

Answer<PagesChanged> forget_pages(Ledger& ledger, const PageFilter& filter, const PagePlace& place);
Answer<PagesChanged> index_pages_again(Ledger& ledger, const PageFilter& filter, IndexAgain which,
                                       const PagePlace& place);

// The pages of the group are indexed from now on. `not_found` if there is no such group.
Answer<void> let_group_index(Ledger& ledger, GroupId group);

}  // namespace quarry::store
