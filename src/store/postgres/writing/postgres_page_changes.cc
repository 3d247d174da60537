#include "store/postgres/writing/page_changes.h"

#include <fmt/format.h>

#include "store/rows/columns.h"
#include "store/rules/transitions.h"
#include "store/postgres/tables/pages.h"
#include "store/postgres/writing/page_walk.h"

namespace quarry::store::postgres {

namespace {

constexpr std::size_t most_pages = 256;
constexpr std::size_t most_step_bytes = 4u << 20;

constexpr db::PgStatement priority_sql{"group_priority", "select priority from quarry.grp where id = $1"};
constexpr db::PgStatement index_pages_sql{"let_group_index",
                                          "update quarry.grp set index_pages = true where id = $1"};
constexpr db::PgStatement set_collection_sql{"set_collection", R"sql(
    insert into quarry.collection(name, provider, model, dimensions, version, created_at)
    values ($1, $2, $3, $4, $5, $6)
    on conflict(name) do update set provider = excluded.provider, model = excluded.model,
                                    dimensions = excluded.dimensions, version = excluded.version)sql"};
constexpr db::PgStatement remove_collection_sql{"remove_collection",
                                                "delete from quarry.collection where name = $1"};

// A page that was never indexed is left alone, unless its own crawl is asked for. So is one whose change
// still waits. One that is leased just now may be read already: it is indexed once more.
Result<bool> is_to_be_indexed(Ledger& ledger, const PageFilter& filter, IndexAgain which,
                              const FoundPage& page) {
    if (page.collection.starts_with('#') || !page.is_stored) return false;
    if (!page.row.outbox) return filter.group.has_value();
    const auto change = TRY(find_change(ledger.sql(), *page.row.outbox));
    // One that is done may have been swept.
    if (which == IndexAgain::missing && *page.row.outbox != given_up)
        return change && (change->state == JobState::failed || change->state == JobState::cancelled);
    if (!change || TRY(is_leased(ledger.sql(), change->id))) return true;
    return change->state != JobState::queued && change->state != JobState::paused;
}

Result<int> priority_of(Ledger& ledger, const PageFilter& filter) {
    if (!filter.group) return priority_normal;
    const db::PgRows rows = TRY(ledger.sql().run(priority_sql, db::PgValues(number(*filter.group))));
    return rows.empty() ? priority_normal : static_cast<int>(rows.integer(0, 0));
}

std::size_t bytes_of(const PageWrite& page) {
    if (!page.content) return 0;
    return page.content->markdown.size() + page.content->details.size() + page.content->html.size() +
           page.content->media.size();
}

}  // namespace

Answer<PagesChanged> forget_pages(Ledger& ledger, const PageFilter& filter, std::int64_t after) {
    const PageStep step = TRY(pages_after(ledger.sql(), filter, after));
    PagesChanged changed{.next = step.next};
    for (const FoundPage& page : step.pages) changed.count += TRY(forget_page(ledger, page)) ? 1 : 0;
    ledger.wake();
    return changed;
}

Answer<PagesChanged> index_pages_again(Ledger& ledger, const PageFilter& filter, IndexAgain which,
                                       std::int64_t after) {
    const PageStep step = TRY(pages_after(ledger.sql(), filter, after));
    PagesChanged changed{.next = step.next};
    const int priority = TRY(priority_of(ledger, filter));
    for (const FoundPage& page : step.pages) {
        if (!TRY(is_to_be_indexed(ledger, filter, which, page))) continue;
        const PageOwner owner{.group = filter.group ? number(*filter.group) : 0,
                              .collection = page.collection,
                              .priority = priority};
        const auto former = TRY(index_page_again(ledger, owner, page));
        // It will be counted once more.
        const bool was_counted =
            former && former->state == JobState::completed && former->content && former->group == owner.group;
        if (was_counted && former->group != 0) --ledger.tally_of_group(former->group).indexed;
        ++changed.count;
    }
    ledger.wake();
    return changed;
}

Answer<void> let_group_index(Ledger& ledger, GroupId id) {
    const db::PgRows rows = TRY(ledger.sql().run(index_pages_sql, db::PgValues(number(id))));
    if (rows.affected() == 0) return refuse<void>(ErrorCode::not_found, "there is no such crawl");
    return Result<void>{};
}

std::size_t pages_in_step(std::span<const PageWrite> pages) {
    std::size_t count = 0, bytes = 0;
    while (count < pages.size() && count < most_pages && bytes < most_step_bytes)
        bytes += bytes_of(pages[count++]);
    return count;
}

Answer<PagesWritten> write_pages(Ledger& ledger, const PageBatch& batch, std::span<const PageWrite> pages) {
    const PageOwner owner{.collection = batch.collection,
                          .site = batch.site,
                          .index_pages = batch.index_pages,
                          .priority = batch.priority};
    for (const PageWrite& page : pages) {
        if (page.content || TRY(find_page(ledger.sql(), owner, page.key))) continue;
        return refuse<PagesWritten>(
            ErrorCode::invalid_argument,
            fmt::format("{} is said to be unchanged, but is not stored", page.facts.url));
    }
    PagesWritten written;
    for (const PageWrite& page : pages) {
        const PageChange change = TRY(write_page(ledger, owner, page));
        ++(change.unchanged ? written.unchanged : change.is_new ? written.added : written.changed);
    }
    ledger.wake();
    return written;
}

Answer<void> set_collection(Ledger& ledger, const Collection& collection) {
    if (collection.name.empty() || collection.name.starts_with('#')) {
        return refuse<void>(ErrorCode::invalid_argument,
                            "a collection has a name, which does not begin with #");
    }
    const EmbedderFacts& embedder = collection.embedder;
    const Timestamp created_at = collection.created_at == Timestamp{} ? ledger.now() : collection.created_at;
    TRY(ledger.sql().run(set_collection_sql,
                         db::PgValues(collection.name, embedder.provider, embedder.model, embedder.dimensions,
                                      embedder.version, column_of(created_at))));
    return Result<void>{};
}

Answer<bool> remove_collection(Ledger& ledger, const std::string& name) {
    return TRY(ledger.sql().run(remove_collection_sql, db::PgValues(name))).affected() > 0;
}

}  // namespace quarry::store::postgres
