// The pages that a filter means, some at a time: a filter may mean a million.
#pragma once

#include <optional>
#include <vector>

#include "store/postgres/tables/pages.h"

namespace quarry::store::postgres {

struct PageStep {
    std::vector<FoundPage> pages{};
    std::optional<std::int64_t> next{};  // where to go on; nothing at the end
};

// `filter.keys` and `filter.urls` are sorted. A page may come twice if a group has it twice.
Result<PageStep> pages_after(db::PgConnection& sql, const PageFilter& filter, std::int64_t after);

}  // namespace quarry::store::postgres
