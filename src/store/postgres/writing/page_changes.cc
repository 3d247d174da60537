#include "store/postgres/writing/kept_crawls.h"

#include <map>

#include "store/rows/columns.h"
#include "store/postgres/tables/groups.h"
#include "store/postgres/tables/pages.h"
#include "store/rows/visit_note.h"

namespace quarry::store::postgres {

namespace {

constexpr db::PgStatement index_kept_crawl_sql{"index_kept_crawl",
                                          "update quarry.grp set index_pages = true where id = $1"};
constexpr db::PgStatement is_there_sql{"is_group_there", "select 1 from quarry.grp where id = $1"};
constexpr db::PgStatement find_visit_sql{"find_visit",
                                   "select token, content, note from quarry.frontier where id = $1"};
constexpr db::PgStatement forget_visit_sql{"forget_visit", "delete from quarry.result where grp = $1 and url = $2"};
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
