#include "store/postgres/writing/page_walk.h"

#include <algorithm>

#include "store/rows/columns.h"
#include "store/rules/page_filter.h"

namespace quarry::store::postgres {

namespace {

constexpr int pages_per_walk = 200;
constexpr std::size_t keys_per_step = 100;

// The columns that page_of() reads; a step's place comes before them.
#define FOUND_COLUMNS                                                                             \
    ", page.id, page.content, page.outbox, page.version, page.content_hash, page.url, page.key, " \
    "page.collection, page.site, page.final_url"

// What is found is locked, in order: somebody may write the same pages at this moment.
constexpr db::PgStatement lock_group_sql{"lock_pages_of_group", R"sql(
    select 1 from quarry.page where id in (
        select page from quarry.result where grp = $1 and sequence > $2 order by sequence limit $3)
    order by id for update)sql"};
// A page may have been removed since: the words that the crawl brought are there all the same.
constexpr db::PgStatement of_group_sql{"pages_of_group", R"sql(
    select result.sequence, result.page, coalesce(page.content, result.content), page.outbox, page.version,
           page.content_hash, page.url, page.key, page.collection, page.site, page.final_url
    from quarry.result left join quarry.page on page.id = result.page
    where result.grp = $1 and result.sequence > $2 order by result.sequence limit $3)sql"};
constexpr db::PgStatement of_site_sql{"pages_of_site", "select page.id" FOUND_COLUMNS R"sql( from quarry.page
    where site = $1 and id > $2 order by id limit $3 for update)sql"};
constexpr db::PgStatement of_collection_sql{"pages_of_collection",
                                            "select page.id" FOUND_COLUMNS R"sql( from quarry.page
    where collection = $1 and id > $2 order by id limit $3 for update)sql"};
constexpr db::PgStatement of_all_sql{"pages_of_all", "select page.id" FOUND_COLUMNS R"sql( from quarry.page
    where id > $1 order by id limit $2 for update)sql"};
constexpr db::PgStatement of_keys_sql{"pages_of_keys", "select page.id" FOUND_COLUMNS R"sql( from quarry.page
    where key = any($1::bytea[]) and ($2 = '' or collection = $2) order by key, collection collate "C" for update)sql"};

FoundPage page_of(const db::PgRow& row) {
    return {.row = {.page = row.integer(1),
                    .content = row.integer(2),
                    .outbox = row.optional_integer(3),
                    .version = row.integer(4),
                    .content_hash = static_cast<std::uint64_t>(row.integer(5)),
                    .url = std::string(row.text(6))},
            .key = key_of(row.text(7)).value_or(UrlKey{}),
            .collection = std::string(row.text(8)),
            .site = std::string(row.text(9)),
            .final_url = std::string(row.text(10)),
            .is_stored = !row.is_null(7)};
}

bool is_meant(const PageFilter& filter, const FoundPage& page) {
    // A collection of that name is a crawl's without retention: it is reached by that crawl only.
    if (page.collection.starts_with('#') && !filter.group) return false;
    if (!filter.collection.empty() && page.collection != filter.collection) return false;
    if (!filter.site.empty() && page.site != filter.site) return false;
    if (!filter.keys.empty() && !std::ranges::binary_search(filter.keys, page.key)) return false;
    if (!filter.urls.empty() && !std::ranges::binary_search(filter.urls, page.row.url) &&
        !std::ranges::binary_search(filter.urls, page.final_url)) {
        return false;
    }
    if (!filter.host.empty() && !is_of_host(page.row.url, filter.host)) return false;
    return filter.path_prefix.empty() || has_path_prefix(page.row.url, filter.path_prefix);
}

Result<PageStep> of_keys(db::PgConnection& sql, const PageFilter& filter, std::int64_t after) {
    const auto first = static_cast<std::size_t>(after);
    const std::size_t end = std::min(filter.keys.size(), first + keys_per_step);
    std::vector<KeyColumn> columns;
    columns.reserve(end - first);
    db::PgBlobs keys;
    for (std::size_t index = first; index < end; ++index)
        keys.values.emplace_back(columns.emplace_back(filter.keys[index]).blob().bytes);
    const db::PgRows rows = TRY(sql.run(of_keys_sql, db::PgValues(keys, filter.collection)));
    PageStep step;
    for (int row = 0; row < rows.size(); ++row) {
        FoundPage page = page_of(db::PgRow(rows, row));
        if (is_meant(filter, page)) step.pages.push_back(std::move(page));
    }
    if (end < filter.keys.size()) step.next = static_cast<std::int64_t>(end);
    return step;
}

Result<db::PgRows> rows_after(db::PgConnection& sql, const PageFilter& filter, std::int64_t after) {
    if (filter.group) {
        const db::PgValues step(number(*filter.group), after, pages_per_walk);
        TRY(sql.run(lock_group_sql, step));
        return sql.run(of_group_sql, step);
    }
    if (!filter.site.empty()) return sql.run(of_site_sql, db::PgValues(filter.site, after, pages_per_walk));
    if (!filter.collection.empty())
        return sql.run(of_collection_sql, db::PgValues(filter.collection, after, pages_per_walk));
    return sql.run(of_all_sql, db::PgValues(after, pages_per_walk));
}

}  // namespace

Result<PageStep> pages_after(db::PgConnection& sql, const PageFilter& filter, std::int64_t after) {
    if (!filter.group && !filter.keys.empty()) return of_keys(sql, filter, after);
    const db::PgRows rows = TRY(rows_after(sql, filter, after));
    PageStep step;
    for (int row = 0; row < rows.size(); ++row) {
        FoundPage page = page_of(db::PgRow(rows, row));
        if (is_meant(filter, page)) step.pages.push_back(std::move(page));
    }
    if (rows.size() == pages_per_walk) step.next = rows.integer(rows.size() - 1, 0);
    return step;
}

}  // namespace quarry::store::postgres
