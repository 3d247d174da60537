// What a visit of a crawl that lives elsewhere brought, as it is noted in its row, so that it is answered the
// same when it is sent again.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "store/store.h"

namespace quarry::store {

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

}  // namespace quarry::store
