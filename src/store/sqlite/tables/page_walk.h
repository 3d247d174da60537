// The pages that a filter means, some at a time: a filter may mean a million. Whatever is asked for, one step
// reads a bounded number of rows.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/sqlite.h"
#include "model/ids.h"
#include "store/store.h"

namespace quarry::store {

struct FoundPage {
    PageId page{};
    ContentId content{};
    std::optional<std::int64_t> outbox{};  // its last change
    std::int64_t version = 0;
    UrlKey key{};
    std::string collection{}, site{}, url{}, final_url{};
    bool is_stored = true;  // false: only a crawl has its words still
};

// Where a step ended.
struct PagePlace {
    std::int64_t number = 0;                           // a page, a result, or a place in the list of keys
    std::string key{};                                 // of a page in its collection
    std::shared_ptr<std::vector<std::int64_t>> ids{};  // of a collection's pages, as far as they were read
    bool is_gathered = false;                          // all of them
};

struct PageStep {
    std::vector<FoundPage> pages{};
    std::optional<PagePlace> next{};  // nothing at the end
};

// `filter.keys` and `filter.urls` are sorted. A page may come twice if a group has it twice.
Result<PageStep> pages_after(db::Connection& connection, const PageFilter& filter, const PagePlace& place);

}  // namespace quarry::store
