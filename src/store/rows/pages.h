// Pages and visits as rows keep them. Each part of a page's words is compressed by itself, so that one can
// be read without the others. A visit of a crawl that lives elsewhere is noted in its row, so that it is
// answered the same when it is sent again.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/result.h"
#include "model/stored_page.h"
#include "store/reader.h"
#include "store/rows/columns.h"
#include "store/store.h"

namespace quarry::store {

// The parts of a page as they are kept: each compressed for itself, so that one can be read without the
// others.

// Fails with `too_large`.
Result<PackedContent> pack(const Content& content);
// The way back. Fails with `corrupt`.
Result<Content> unpack(const PackedContent& packed);

// What decides whether a page has changed: its title and its words.
std::uint64_t content_hash(std::string_view title, std::string_view markdown);

// What a visit of a crawl that lives elsewhere brought, as it is noted in its row, so that it is answered the
// same when it is sent again.

inline std::string note_of(const Visited& visited) {
    return fmt::format("{} {} {} {}", visited.unchanged, visited.duplicates, visited.bytes, visited.removed);
}

inline Visited visited_of(std::optional<std::int64_t> content, std::string_view note) {
    Visited visited;
    if (content) visited.content = ContentId(*content);
    for (std::int64_t* number : {&visited.unchanged, &visited.duplicates, &visited.bytes, &visited.removed}) {
        const auto end = std::from_chars(note.data(), note.data() + note.size(), *number).ptr;
        note.remove_prefix(static_cast<std::size_t>(end - note.data()));
        if (note.starts_with(' ')) note.remove_prefix(1);
    }
    return visited;
}

inline NewGroup group_of(const KeptCrawl& crawl) {
    return {.kind = crawl.kind,
            .name = crawl.name,
            .options = "{}",
            .collection = crawl.collection,
            .owner = crawl.owner,
            .priority = crawl.priority,
            .index_pages = crawl.index_pages,
            .zero_retention = crawl.zero_retention,
            .keeping = crawl.keeping,
            .page_keeping = crawl.page_keeping,
            .request_id = crawl.request_id,
            .site = crawl.site};
}

// Stored pages from rows, without their words, which each database keeps in its own way.

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
