// Stored pages from rows, without their words, which each database keeps in its own way.
#pragma once

#include "store/reader.h"
#include "store/rows/row.h"
#include "store/rows/columns.h"

namespace quarry::store {

// What the page is now: the columns from the eighth on. Those before it are the place in the list, page,
// content, collection, url, final_url, status and fetched_at: a group has them of its own visit.
#define PAGE_FACTS                                                                      \
    " page.content_hash, page.simhash, page.body_bytes, page.etag, page.last_modified," \
    " page.content_type, page.title, page.language, page.changed_at, twin.url, page.key"
inline constexpr int page_columns = 19;

StoredPage page_of(const Row auto& row) {
    return {
        .id = PageId{row.integer(1)},
        .content_id = ContentId{row.integer(2)},
        .key = key_of(row.text(18)).value_or(UrlKey{}),
        .collection = std::string(row.text(3)),
        .facts =
            {
                .url = std::string(row.text(4)),
                .final_url = std::string(row.text(5)),
                .status = static_cast<int>(row.integer(6)),
                .etag = std::string(row.text(11)),
                .last_modified = std::string(row.text(12)),
                .content_type = std::string(row.text(13)),
                .title = std::string(row.text(14)),
                .language = std::string(row.text(15)),
                .content_hash = static_cast<std::uint64_t>(row.integer(8)),
                .simhash = static_cast<std::uint64_t>(row.integer(9)),
                .body_bytes = row.integer(10),
                .fetched_at = time_of(row.integer(7)),
            },
        .changed_at = time_of(row.integer(16)),
        .near_duplicate_of = std::string(row.text(17)),
    };
}

}  // namespace quarry::store
