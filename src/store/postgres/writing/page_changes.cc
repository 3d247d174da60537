// The pages that a filter means, some at a time: a filter may mean a million.
#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "store/postgres/tables/groups.h"
#include "store/postgres/tables/pages.h"
#include "store/postgres/writing/operations.h"
#include "store/rows/columns.h"
#include "store/rows/pages.h"
#include "store/rules/filters.h"
#include "store/rules/transitions.h"

namespace quarry::store::postgres {

struct PageStep {
    std::vector<FoundPage> pages{};
    std::optional<std::int64_t> next{};  // where to go on; nothing at the end
};

// `filter.keys` and `filter.urls` are sorted. A page may come twice if a group has it twice.
Result<PageStep> pages_after(db::PgConnection& sql, const PageFilter& filter, std::int64_t after);

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

namespace {

constexpr db::PgStatement index_kept_crawl_sql{"index_kept_crawl",
                                               "update quarry.grp set index_pages = true where id = $1"};
constexpr db::PgStatement is_there_sql{"is_group_there", "select 1 from quarry.grp where id = $1"};
constexpr db::PgStatement find_visit_sql{"find_visit",
                                         "select token, content, note from quarry.frontier where id = $1"};
constexpr db::PgStatement forget_visit_sql{"forget_visit",
                                           "delete from quarry.result where grp = $1 and url = $2"};
constexpr db::PgStatement insert_visit_sql{"insert_visit", R"sql(
    insert into quarry.frontier(id, grp, host, key, state, depth, redirects, source, priority, status, content,
                                finished_at, token, url, final_url, note, fetch_us, extract_us)
    values ($1, $2, 0, $3, 2, 0, 0, 0, 0, $4, $5, $6, $7, $8, $9, $10, $11, $12)
    on conflict (id) do update set status = excluded.status, content = excluded.content,
        finished_at = excluded.finished_at, token = excluded.token, final_url = excluded.final_url,
        note = excluded.note, fetch_us = excluded.fetch_us, extract_us = excluded.extract_us)sql"};
constexpr db::PgStatement has_pages_sql{
    "has_pages", "select 1 from quarry.page where site = $1 and collection = $2 limit 1"};
constexpr db::PgStatement former_sql{"former_pages_of_keys", R"sql(
    select key, id, content, etag, last_modified, content_hash from quarry.page
    where collection = $1 and key = any($2::bytea[]))sql"};

// nullptr if it is over.
Result<OpenGroup*> open_crawl(Ledger& ledger, const KeptCrawl& crawl) {
    const std::int64_t id = number(crawl.id);
    if (TRY(ledger.sql().run(is_there_sql, db::PgValues(id))).empty()) {
        const std::int64_t owner = TRY(ledger.names().owner(crawl.owner));
        TRY(insert_group(ledger.sql(), id, group_of(crawl), owner, crawl.created_at));
        TRY(ledger.any_group(id));
    }
    OpenGroup* group = TRY(ledger.group(id));
    if (!group) return nullptr;
    if (crawl.index_pages && !group->pages.index_pages) {
        TRY(ledger.sql().run(index_kept_crawl_sql, db::PgValues(id)));
        group->pages.index_pages = true;
    }
    group->state = JobState::paused;
    group->priority = group->pages.priority = crawl.priority;
    ledger.touch(*group);
    return group;
}

void end_crawl(Ledger& ledger, OpenGroup& group, const Group& ended) {
    group.state = ended.state;
    group.counters = ended.counters;
    group.error = ended.error;
    group.started_at = ended.started_at;
    group.finished_at = ended.finished_at;
    ledger.tally_of_group(group.id).add({.fetch = ended.timings.fetch, .extract = ended.timings.extract});
    ledger.touch(group);
}

class Keeping {
public:
    Keeping(Ledger& ledger, OpenGroup& group) : ledger_(ledger), group_(group) {}

    Result<Visited> keep(const Visit& visit) {
        if (auto known = TRY(known_visit(visit))) return *std::move(known);
        Visited visited;
        for (const PageWrite& page : visit.pages) {
            const bool is_written = TRY(write(visit, page, visited));
            if (!is_written) return visited;
        }
        for (const UrlKey& key : visit.gone)
            visited.removed += TRY(remove_page(ledger_, group_.pages, key)) ? 1 : 0;
        if (visit.settle)
            visited.removed += TRY(settle_pages(ledger_, group_.pages, visit.settle->after_misses));
        TRY(insert(visit, visited));
        ledger_.wake();
        return visited;
    }

private:
    Result<std::optional<Visited>> known_visit(const Visit& visit) {
        const db::PgRows rows = TRY(ledger_.sql().run(find_visit_sql, db::PgValues(number(visit.lease.id))));
        if (rows.empty()) return std::nullopt;
        const db::PgRow row(rows, 0);
        const std::int64_t token = row.integer(0);
        if (token == number(visit.lease.token))
            return visited_of(row.optional_integer(1), row.is_null(2) ? "" : row.text(2));
        if (token > number(visit.lease.token)) return Visited{.is_outdated = true};
        TRY(ledger_.sql().run(forget_visit_sql, db::PgValues(group_.id, number(visit.lease.id))));
        return std::nullopt;
    }

    // False if it must be fetched again.
    Result<bool> write(const Visit& visit, const PageWrite& page, Visited& visited) {
        const Result<PageChange> change =
            write_page_of_url(ledger_, group_.pages, number(visit.lease.id), page);
        if (!change && change.error().code == ErrorCode::not_found) {
            visited.must_fetch_again = true;
            return false;
        }
        if (!change) return std::unexpected(change.error());
        if (!visited.content) visited.content = ContentId(change->content);
        visited.unchanged += change->unchanged ? 1 : 0;
        visited.duplicates += page.near_duplicate_of ? 1 : 0;
        visited.bytes += page.facts.body_bytes;
        return true;
    }

    Result<void> insert(const Visit& visit, const Visited& visited) {
        const KeyColumn key(visit.key);
        const std::string note = note_of(visited);
        std::optional<std::int64_t> content;
        if (visited.content) content = number(*visited.content);
        TRY(ledger_.sql().run(
            insert_visit_sql,
            db::PgValues(number(visit.lease.id), group_.id, key.blob(), visit.status, content,
                         column_of(ledger_.now()), number(visit.lease.token), visit.url, visit.final_url,
                         note, std::int64_t{visit.timings.fetch.count()},
                         std::int64_t{visit.timings.extract.count()})));
        return {};
    }

    Ledger& ledger_;
    OpenGroup& group_;
};

}  // namespace

Answer<std::vector<Visited>> keep_visits(Ledger& ledger, const KeptCrawl& crawl,
                                         std::span<const Visit> visits) {
    OpenGroup* group = TRY(open_crawl(ledger, crawl));
    if (!group) return std::vector<Visited>(visits.size(), Visited{.is_outdated = true});
    std::vector<Visited> all;
    for (const Visit& visit : visits) all.push_back(TRY(Keeping(ledger, *group).keep(visit)));
    if (crawl.ended) end_crawl(ledger, *group, *crawl.ended);
    return all;
}

Answer<std::vector<std::optional<FormerPage>>> former_pages(Ledger& ledger, const KeptCrawl& crawl,
                                                            std::span<const UrlKey> keys) {
    std::vector<std::optional<FormerPage>> former;
    const db::PgValues place(crawl.site, crawl.collection);
    if (crawl.zero_retention || TRY(ledger.sql().run(has_pages_sql, place)).empty()) return former;
    std::vector<KeyColumn> columns;
    columns.reserve(keys.size());
    db::PgBlobs blobs;
    std::multimap<UrlKey, std::size_t> places;
    for (std::size_t index = 0; index < keys.size(); ++index) {
        blobs.values.emplace_back(columns.emplace_back(keys[index]).blob().bytes);
        places.emplace(keys[index], index);
    }
    former.resize(keys.size());
    const db::PgRows rows = TRY(ledger.sql().run(former_sql, db::PgValues(crawl.collection, blobs)));
    for (int index = 0; index < rows.size(); ++index) {
        const db::PgRow row(rows, index);
        const FormerPage page{.page = PageId(row.integer(1)),
                              .content = ContentId(row.integer(2)),
                              .etag = std::string(row.text(3)),
                              .last_modified = std::string(row.text(4)),
                              .content_hash = static_cast<std::uint64_t>(row.integer(5))};
        const auto [first, last] = places.equal_range(key_of(row.text(0)).value_or(UrlKey{}));
        for (auto at = first; at != last; ++at) former[at->second] = page;
    }
    return former;
}

}  // namespace quarry::store::postgres
