#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "store/rows/columns.h"
#include "store/rows/pages.h"
#include "store/rules/transitions.h"
#include "store/sqlite/tables/pages.h"
#include "store/sqlite/writing/operations.h"

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

namespace {

// A page that was never indexed is left alone, unless its own crawl is asked for. So is one whose change
// still waits. One that is leased just now may be read already: it is indexed once more.
Result<bool> is_to_be_indexed(Ledger& ledger, const PageFilter& filter, IndexAgain which,
                              const FoundPage& page) {
    if (page.collection.starts_with('#') || !page.is_stored) return false;
    if (!page.outbox) return filter.group.has_value();
    const auto change = TRY(ledger.outbox().rows.find(*page.outbox));
    // One that is done may have been swept.
    if (which == IndexAgain::missing && *page.outbox != given_up)
        return change && (change->state == JobState::failed || change->state == JobState::cancelled);
    if (!change || ledger.leases.contains(change->id)) return true;
    return change->state != JobState::queued && change->state != JobState::paused;
}

Result<int> priority_of(Ledger& ledger, const PageFilter& filter) {
    if (!filter.group) return priority_normal;
    if (const OpenGroup* group = ledger.group(number(*filter.group))) return group->priority;
    const auto group = ledger.rows().groups.load(number(*filter.group));
    return group ? group->priority : priority_normal;
}

}  // namespace

Answer<PagesChanged> forget_pages(Ledger& ledger, const PageFilter& filter, const PagePlace& place) {
    PageStep step = TRY(pages_after(ledger.connection(), filter, place));
    PagesChanged changed{.next = std::move(step.next)};
    const bool is_private = std::ranges::any_of(
        step.pages, [](const FoundPage& page) { return page.collection.starts_with('#'); });
    const SecureDelete secure = TRY(SecureDelete::begin(ledger.connection(), is_private));
    for (const FoundPage& page : step.pages) {
        changed.count += TRY(ledger.rows().pages.forget(page)) ? 1 : 0;
    }
    ledger.wake();
    return changed;
}

Answer<PagesChanged> index_pages_again(Ledger& ledger, const PageFilter& filter, IndexAgain which,
                                       const PagePlace& place) {
    PageStep step = TRY(pages_after(ledger.connection(), filter, place));
    PagesChanged changed{.next = std::move(step.next)};
    const int priority = TRY(priority_of(ledger, filter));
    for (const FoundPage& page : step.pages) {
        if (!TRY(is_to_be_indexed(ledger, filter, which, page))) continue;
        const PageOwner owner{
            .group = filter.group.value_or(GroupId{}), .collection = page.collection, .priority = priority};
        const auto former = TRY(ledger.rows().pages.index_again(owner, page));
        // It will be counted once more.
        const bool was_counted = former && former->state == JobState::completed && former->content &&
                                 former->group == number(owner.group);
        if (was_counted && former->group != 0) --ledger.tally(former->group).indexed;
        ++changed.count;
    }
    ledger.wake();
    return changed;
}

Answer<void> let_group_index(Ledger& ledger, GroupId id) {
    if (!TRY(ledger.rows().groups.state_of(number(id)))) {
        return refuse<void>(ErrorCode::not_found, "there is no such crawl");
    }
    TRY(ledger.rows().groups.set_index_pages(number(id)));
    if (OpenGroup* group = ledger.group(number(id))) group->pages.index_pages = true;
    return Result<void>{};
}

Answer<void> set_collection(Ledger& ledger, const Collection& collection) {
    if (collection.name.empty() || collection.name.starts_with('#')) {
        return refuse<void>(ErrorCode::invalid_argument,
                            "a collection has a name, which does not begin with #");
    }
    db::Statement set = TRY(ledger.connection().prepare(R"sql(
        INSERT INTO collection(name, provider, model, dimensions, version, created_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6)
        ON CONFLICT(name) DO UPDATE SET provider = excluded.provider, model = excluded.model,
                                        dimensions = excluded.dimensions, version = excluded.version)sql"));
    const EmbedderFacts& embedder = collection.embedder;
    const Timestamp created_at = collection.created_at == Timestamp{} ? ledger.now() : collection.created_at;
    TRY(set.bind(collection.name, embedder.provider, embedder.model, embedder.dimensions, embedder.version,
                 column_of(created_at))
            .run());
    return Result<void>{};
}

Answer<bool> remove_collection(Ledger& ledger, const std::string& name) {
    db::Statement remove = TRY(ledger.connection().prepare("DELETE FROM collection WHERE name = ?1"));
    TRY(remove.bind(name).run());
    return ledger.connection().changes() > 0;
}

namespace {

constexpr std::string_view find_visit_sql = "SELECT token, content, note FROM frontier WHERE id = ?1";
constexpr std::string_view forget_visit_sql = "DELETE FROM result WHERE grp = ?1 AND url = ?2";
constexpr std::string_view insert_visit_sql = R"sql(
    INSERT OR REPLACE INTO frontier(id, grp, host, key, state, depth, redirects, source, priority, attempts, stalls,
                                    skipped, status, content, finished_at, token, url, final_url, note, fetch_us,
                                    extract_us)
    VALUES (?1, ?2, 0, ?3, 2, 0, 0, 0, 0, 0, 0, 0, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12))sql";

Result<OpenGroup*> insert_crawl(Ledger& ledger, const KeptCrawl& crawl) {
    const int owner = TRY(ledger.rows().owners.ensure(crawl.owner));
    TRY(ledger.rows().groups.insert(number(crawl.id), group_of(crawl), owner, crawl.created_at));
    if (crawl.zero_retention) TRY(ledger.count_private_groups(1));
    OpenGroup& group = ledger.add_group(TRY(ledger.rows().groups.load(number(crawl.id))));
    group.state = JobState::paused;
    ledger.touch(group);
    return &group;
}

// nullptr if it is over.
Result<OpenGroup*> open_crawl(Ledger& ledger, const KeptCrawl& crawl) {
    OpenGroup* group = ledger.group(number(crawl.id));
    if (!group && TRY(ledger.rows().groups.state_of(number(crawl.id)))) return nullptr;
    if (!group) group = TRY(insert_crawl(ledger, crawl));
    group->pages.index_pages = group->pages.index_pages || crawl.index_pages;
    group->priority = group->pages.priority = crawl.priority;
    return group;
}

void end_crawl(Ledger& ledger, OpenGroup& group, const Group& ended) {
    group.state = ended.state;
    group.counters = ended.counters;
    group.error = ended.error;
    group.started_at = ended.started_at;
    group.finished_at = ended.finished_at;
    group.last_id = ledger.last_id();
    ledger.tally(group.id).add({.fetch = ended.timings.fetch, .extract = ended.timings.extract});
    ledger.touch(group);
}

class Keeping {
public:
    Keeping(Ledger& ledger, OpenGroup& group) : ledger_(ledger), group_(group) {}

    Result<Visited> keep(const Visit& visit) {
        if (auto known = TRY(known_visit(visit))) return *std::move(known);
        Visited visited;
        for (const PageWrite& page : visit.pages) {
            if (!TRY(write(visit, page, visited))) return visited;
        }
        for (const UrlKey& key : visit.gone) {
            visited.removed += TRY(ledger_.rows().pages.remove(group_.pages, key)) ? 1 : 0;
        }
        if (visit.settle) {
            visited.removed += TRY(ledger_.rows().pages.settle(group_.pages, visit.settle->after_misses));
        }
        TRY(insert(visit, visited));
        ledger_.wake();
        return visited;
    }

private:
    Result<std::optional<Visited>> known_visit(const Visit& visit) {
        db::Statement find = TRY(ledger_.connection().prepare(find_visit_sql));
        if (!TRY(find.bind(number(visit.lease.id)).step())) return std::nullopt;
        const std::int64_t token = find.integer(0);
        if (token == number(visit.lease.token)) return visited_of(find.optional_integer(1), find.text(2));
        if (token > number(visit.lease.token)) return Visited{.is_outdated = true};
        db::Statement forget = TRY(ledger_.connection().prepare(forget_visit_sql));
        TRY(forget.bind(group_.id, number(visit.lease.id)).run());
        return std::nullopt;
    }

    // False if it must be fetched again.
    Result<bool> write(const Visit& visit, const PageWrite& page, Visited& visited) {
        const Result<PageChange> change = ledger_.rows().pages.write(group_.pages, visit.lease.id, page);
        if (!change && change.error().code == ErrorCode::not_found) {
            visited.must_fetch_again = true;
            return false;
        }
        if (!change) return std::unexpected(change.error());
        if (!visited.content) visited.content = change->content;
        visited.unchanged += change->unchanged ? 1 : 0;
        visited.duplicates += page.near_duplicate_of ? 1 : 0;
        visited.bytes += page.facts.body_bytes;
        return true;
    }

    Result<void> insert(const Visit& visit, const Visited& visited) {
        db::Statement statement = TRY(ledger_.connection().prepare(insert_visit_sql));
        const KeyColumn key(visit.key);
        std::optional<std::int64_t> content;
        if (visited.content) content = number(*visited.content);
        return statement
            .bind(number(visit.lease.id), group_.id, key.blob(), visit.status, content,
                  column_of(ledger_.now()), number(visit.lease.token), visit.url, visit.final_url,
                  note_of(visited), std::int64_t{visit.timings.fetch.count()},
                  std::int64_t{visit.timings.extract.count()})
            .run();
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
    const PageOwner owner{.group = crawl.id,
                          .collection = crawl.collection,
                          .site = crawl.site,
                          .zero_retention = crawl.zero_retention};
    std::vector<std::optional<FormerPage>> former;
    if (!TRY(ledger.rows().pages.has_pages(owner))) return former;
    for (const UrlKey& key : keys) former.push_back(TRY(ledger.rows().pages.former(owner, key)));
    return former;
}

}  // namespace quarry::store
