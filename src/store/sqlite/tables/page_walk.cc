#include "store/sqlite/tables/page_walk.h"

#include <algorithm>

#include "store/rows/columns.h"
#include "store/rules/filters.h"
#include "store/sqlite/reading/query.h"

namespace quarry::store {

namespace {

// Forgetting a page takes about 0.1 ms.
constexpr int pages_per_walk = 200;
constexpr std::size_t keys_per_step = 100;
constexpr int ids_per_step = 50'000;  // about 10 ms

// The columns that found_page_of() reads; a step's place comes before them.
#define FOUND_COLUMNS                                                                                      \
    ", page.id, page.content, page.outbox, page.version, page.key, page.collection, page.site, page.url, " \
    "page.final_url"

FoundPage found_page_of(const db::Statement& row) {
    return {.page = PageId{row.integer(1)},
            .content = ContentId{row.integer(2)},
            .outbox = row.optional_integer(3),
            .version = row.integer(4),
            .key = key_of(row.text(5)).value_or(UrlKey{}),
            .collection = std::string(row.text(6)),
            .site = std::string(row.text(7)),
            .url = std::string(row.text(8)),
            .final_url = std::string(row.text(9)),
            .is_stored = !row.is_null(5)};
}

bool is_meant(const PageFilter& filter, const FoundPage& page) {
    // A collection of that name belongs to a crawl without retention. Only a filter for that crawl reaches
    // it.
    if (page.collection.starts_with('#') && !filter.group) return false;
    if (!filter.collection.empty() && page.collection != filter.collection) return false;
    if (!filter.site.empty() && page.site != filter.site) return false;
    if (!filter.keys.empty() && !std::ranges::binary_search(filter.keys, page.key)) return false;
    if (!filter.urls.empty() && !std::ranges::binary_search(filter.urls, page.url) &&
        !std::ranges::binary_search(filter.urls, page.final_url)) {
        return false;
    }
    if (!filter.host.empty() && !is_of_host(page.url, filter.host)) return false;
    return filter.path_prefix.empty() || has_path_prefix(page.url, filter.path_prefix);
}

// Runs one step of a walk and keeps the pages that match the filter. The first column of a row is its place.
Result<PageStep> walk(db::Connection& connection, Query query, const PageFilter& filter) {
    PageStep step;
    PagePlace last;
    int rows = 0;
    TRY(query.each(connection, [&](const db::Statement& row) {
        ++rows;
        last.number = row.integer(0);
        FoundPage page = found_page_of(row);
        if (is_meant(filter, page)) step.pages.push_back(std::move(page));
    }));
    if (rows == pages_per_walk) step.next = std::move(last);
    return step;
}

Query of_group(const PageFilter& filter, const PagePlace& place) {
    // A page may have been removed since. The words that the crawl brought are still there.
    Query query(
        "SELECT result.sequence, result.page, coalesce(page.content, result.content), page.outbox, "
        "page.version, page.key, page.collection, page.site, page.url, page.final_url"
        " FROM result LEFT JOIN page ON page.id = result.page WHERE true");
    query.add(" AND result.grp = ?", *filter.group).add(" AND result.sequence > ?", place.number);
    query.add(" ORDER BY result.sequence LIMIT ?", pages_per_walk);
    return query;
}

Query of_site(const PageFilter& filter, const PagePlace& place) {
    Query query("SELECT page.id" FOUND_COLUMNS " FROM page INDEXED BY page_site WHERE true");
    query.add(" AND site = ?", filter.site).add(" AND id > ?", place.number);
    query.add(" ORDER BY id LIMIT ?", pages_per_walk);
    return query;
}

Query of_all(const PagePlace& place) {
    Query query("SELECT page.id" FOUND_COLUMNS " FROM page WHERE true");
    query.add(" AND id > ?", place.number).add(" ORDER BY id LIMIT ?", pages_per_walk);
    return query;
}

// One by one: SQLite 3.40 would read every row for DISTINCT.
Result<std::vector<std::string>> collections_of(db::Connection& connection, const PageFilter& filter) {
    if (!filter.collection.empty()) return std::vector{filter.collection};
    std::vector<std::string> names;
    db::Statement next = TRY(
        connection.prepare("SELECT collection FROM page WHERE collection > ?1 ORDER BY collection LIMIT 1"));
    std::string last;
    while (TRY(next.bind(last).step())) {
        names.emplace_back(next.text(0));
        last = names.back();
    }
    return names;
}

Result<PageStep> of_keys(db::Connection& connection, const PageFilter& filter, const PagePlace& place) {
    const std::vector<std::string> collections = TRY(collections_of(connection, filter));
    db::Statement find =
        TRY(connection.prepare("SELECT 0" FOUND_COLUMNS " FROM page WHERE collection = ?1 AND key = ?2"));
    PageStep step;
    const auto first = static_cast<std::size_t>(place.number);
    const std::size_t end = std::min(filter.keys.size(), first + keys_per_step);
    for (std::size_t index = first; index < end; ++index) {
        const KeyColumn key(filter.keys[index]);
        for (const std::string& collection : collections) {
            if (!TRY(find.bind(collection, key.blob()).step())) continue;
            FoundPage page = found_page_of(find);
            if (is_meant(filter, page)) step.pages.push_back(std::move(page));
        }
    }
    if (end < filter.keys.size()) step.next = PagePlace{.number = static_cast<std::int64_t>(end)};
    return step;
}

// Gathers ids in the order of the index on keys, and sorts them at the end: nothing else has that order.
Result<PageStep> gather_ids(db::Connection& connection, const PageFilter& filter, PagePlace place) {
    if (!place.ids) place.ids = std::make_shared<std::vector<std::int64_t>>();
    Query query("SELECT id, key FROM page INDEXED BY page_key WHERE true");
    query.add(" AND collection = ?", filter.collection).add_blob(" AND key > ?", {place.key});
    query.add(" ORDER BY key LIMIT ?", ids_per_step);
    int rows = 0;
    TRY(query.each(connection, [&](const db::Statement& row) {
        ++rows;
        place.ids->push_back(row.integer(0));
        place.key = row.text(1);
    }));
    if (rows < ids_per_step) {
        std::ranges::sort(*place.ids);
        place.key.clear();
        place.is_gathered = true;
    }
    return PageStep{.next = std::move(place)};
}

// Walks pages in the order in which they were stored. An indexer that follows the changes keeps pages in the
// same order, so a hundred changes touch a few pages of a file, not a hundred.
Result<PageStep> of_collection(db::Connection& connection, const PageFilter& filter, const PagePlace& place) {
    if (!place.is_gathered) return gather_ids(connection, filter, place);
    const auto& ids = *place.ids;
    const auto first = static_cast<std::size_t>(place.number);
    const std::size_t end = std::min(ids.size(), first + pages_per_walk);
    db::Statement find = TRY(connection.prepare("SELECT 0" FOUND_COLUMNS " FROM page WHERE id = ?1"));
    PageStep step;
    for (std::size_t index = first; index < end; ++index) {
        if (!TRY(find.bind(ids[index]).step())) continue;
        FoundPage page = found_page_of(find);
        if (is_meant(filter, page)) step.pages.push_back(std::move(page));
    }
    if (end < ids.size()) {
        step.next = place;
        step.next->number = static_cast<std::int64_t>(end);
    }
    return step;
}

}  // namespace

Result<PageStep> pages_after(db::Connection& connection, const PageFilter& filter, const PagePlace& place) {
    if (filter.group) return walk(connection, of_group(filter, place), filter);
    if (!filter.keys.empty()) return of_keys(connection, filter, place);
    if (!filter.site.empty()) return walk(connection, of_site(filter, place), filter);
    if (!filter.collection.empty()) return of_collection(connection, filter, place);
    return walk(connection, of_all(place), filter);
}

}  // namespace quarry::store
