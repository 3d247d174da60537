// The tables page, content and result. A page is one narrow row per (collection, key) that points at its
// words; each crawl that brought it has a result row that points at the words it brought. Words live while a
// page or a result has them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/stored_page.h"
#include "store/postgres/ledger.h"
#include "store/postgres/tables/outbox.h"

namespace quarry::store::postgres {

struct PageChange {
    std::int64_t page = 0;
    std::int64_t content = 0;
    bool unchanged = false;  // stored already in the same words
    bool is_new = false;     // the collection had no such page
};

// A page row as far as writing needs it.
struct PageRow {
    std::int64_t page = 0;
    std::int64_t content = 0;
    std::optional<std::int64_t> outbox{};
    std::int64_t version = 0;
    std::uint64_t content_hash = 0;
    std::string url{}, etag{}, last_modified{};
    PageKeeping keeping = PageKeeping::for_good;
};

// A page that a filter means.
struct FoundPage {
    PageRow row{};
    UrlKey key{};
    std::string collection{}, site{}, final_url{};
    bool is_stored = true;  // false: only a crawl has its words still
};

// What is stored under the key, locked.
Result<std::optional<PageRow>> find_page(db::PgConnection& sql, const PageOwner& owner, const UrlKey& key);

// Saves what the group's URL brought. Always adds a result; adds an outbox row if the words are new and the
// group indexes pages. `not_found` if the words are said to be unchanged but none are stored: the page was
// removed meanwhile and must be fetched anew.
Result<PageChange> write_page_of_url(Ledger& ledger, const PageOwner& owner, std::int64_t url,
                                     const PageWrite& write);
// Saves a page that no crawl brought. One in the words that are stored changes nothing.
Result<PageChange> write_page(Ledger& ledger, const PageOwner& owner, const PageWrite& write);

// Removes a page for good, with all its words, also those that crawls brought. False if it is gone.
Result<bool> forget_page(Ledger& ledger, const FoundPage& page);
// Adds a change of the page as it is, in place of the last one, which is returned.
Result<std::optional<ChangeRow>> index_page_again(Ledger& ledger, const PageOwner& owner,
                                                  const FoundPage& page);

// Forgets a page that the site has no more. False if there is none. What crawls brought stays theirs.
Result<bool> remove_page(Ledger& ledger, const PageOwner& owner, const UrlKey& key);
// Counts one more miss for each page of the owner's site that only earlier groups met, and removes those with
// at least `after_misses`. Returns how many were removed.
Result<std::int64_t> settle_pages(Ledger& ledger, const PageOwner& owner, int after_misses);

// Removes up to `limit` results of a group, with the words that nobody else has.
struct DroppedPages {
    std::int64_t results = 0, contents = 0, pages = 0;
    bool is_empty() const { return results == 0 && pages == 0; }
};
Result<DroppedPages> drop_pages_of_group(Ledger& ledger, std::int64_t group, int limit);
// Removes up to `limit` pages that are only cached, were fetched so long ago, and are in no group. Returns
// how many.
Result<std::int64_t> drop_cached_pages(Ledger& ledger, Timestamp fetched_until, int limit);

}  // namespace quarry::store::postgres
