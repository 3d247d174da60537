#include "store/sqlite/writing/writing_pages.h"

#include <fmt/format.h>

namespace quarry::store {

namespace {

constexpr std::size_t most_pages = 256;
constexpr std::size_t most_bytes = 4u << 20;

std::size_t bytes_of(const PageWrite& page) {
    if (!page.content) return 0;
    return page.content->markdown.size() + page.content->details.size() + page.content->html.size() +
           page.content->media.size();
}

}  // namespace

std::size_t pages_in_step(std::span<const PageWrite> pages) {
    std::size_t count = 0, bytes = 0;
    while (count < pages.size() && count < most_pages && bytes < most_bytes)
        bytes += bytes_of(pages[count++]);
    return count;
}

Answer<PagesWritten> write_pages(Ledger& ledger, const PageBatch& batch, std::span<const PageWrite> pages) {
    const PageOwner owner{.collection = batch.collection,
                          .site = batch.site,
                          .index_pages = batch.index_pages,
                          .priority = batch.priority};
    for (const PageWrite& page : pages) {
        if (page.content || TRY(ledger.rows().pages.former(owner, page.key))) continue;
        return refuse<PagesWritten>(
            ErrorCode::invalid_argument,
            fmt::format("{} is said to be unchanged, but is not stored", page.facts.url));
    }
    PagesWritten written;
    for (const PageWrite& page : pages) {
        const PageChange change = TRY(ledger.rows().pages.write(owner, page));
        ++(change.unchanged ? written.unchanged : change.is_new ? written.added : written.changed);
    }
    ledger.wake();
    return written;
}

}  // namespace quarry::store
