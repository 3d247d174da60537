#include "store/postgres/tables/pages.h"

#include <fmt/format.h>

#include "db/packed_text.h"
#include "model/collection.h"
#include "store/rows/columns.h"

namespace quarry::store::postgres {

namespace {

#define PAGE_COLUMNS "id, content, outbox, version, content_hash, url, etag, last_modified, keeping"

constexpr db::PgStatement find_page_sql{
    "find_page", "select " PAGE_COLUMNS " from quarry.page where collection = $1 and key = $2 for update"};
constexpr db::PgStatement insert_page_sql{"insert_page", R"sql(
    insert into quarry.page(id, collection, key, site, content, outbox, version, seen_by, missed, status,
                            content_hash, simhash, body_bytes, fetched_at, changed_at, near_duplicate_of, url,
                            final_url, etag, last_modified, content_type, title, language, keeping)
    values ($1, $2, $3, $4, $5, $6, 1, $7, 0, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,
            $21, $22))sql"};
constexpr db::PgStatement replace_sql{"replace_page", R"sql(
    update quarry.page set site = case when $2 = '' then site else $2 end, content = $3, outbox = $4,
                           version = version + 1, seen_by = $5, missed = 0, status = $6, content_hash = $7,
                           simhash = $8, body_bytes = $9, fetched_at = $10, changed_at = $11,
                           near_duplicate_of = $12, url = $13, final_url = $14, etag = $15, last_modified = $16,
                           content_type = $17, title = $18, language = $19, keeping = least(keeping, $20)
    where id = $1)sql"};
// A 304 need not repeat Last-Modified and says nothing about a near duplicate, so the stored values stay.
constexpr db::PgStatement touch_sql{"touch_page", R"sql(
    update quarry.page set site = case when $2 = '' then site else $2 end, seen_by = $3, missed = 0, fetched_at = $4,
                           etag = case when $5 = '' then etag else $5 end,
                           last_modified = case when $6 = '' then last_modified else $6 end,
                           near_duplicate_of = coalesce($7, near_duplicate_of), keeping = least(keeping, $8)
    where id = $1)sql"};
constexpr db::PgStatement insert_content_sql{
    "insert_content",
    "insert into quarry.content(id, page, details, markdown, html, media) values ($1, $2, $3, $4, $5, $6)"};
constexpr db::PgStatement add_html_sql{
    "add_html",
    "update quarry.content set html = $2 where id = $1 and html is null and "
    "html_packed is null"};
constexpr db::PgStatement drop_contents_sql{"drop_contents", R"sql(
    delete from quarry.content
    where id = any($1::bigint[])
        and not exists (select 1 from quarry.page where page.id = content.page and page.content = content.id)
        and not exists (select 1 from quarry.result
                        where result.page = content.page and result.content = content.id))sql"};
// For words that stay although no crawl has them any more.
constexpr db::PgStatement drop_media_sql{"drop_media", R"sql(
    update quarry.content set media = null
    where id = any($1::bigint[]) and media is not null
        and not exists (select 1 from quarry.result
                        where result.page = content.page and result.content = content.id))sql"};
constexpr db::PgStatement insert_result_sql{
    "insert_result",
    "insert into quarry.result(grp, sequence, url, page, content) values ($1, $2, $3, $4, $5)"};
constexpr db::PgStatement set_outbox_sql{
    "set_outbox", "update quarry.page set outbox = $2, version = $3, keeping = 0 where id = $1"};
constexpr db::PgStatement delete_sql{"delete_page", "delete from quarry.page where id = $1"};
constexpr db::PgStatement forget_words_sql{"forget_words", R"sql(
    with r as (delete from quarry.result where page = $1 returning url),
         f as (update quarry.frontier set content = null from r where frontier.id = r.url)
    delete from quarry.content where page = $1)sql"};
constexpr db::PgStatement count_misses_sql{
    "count_misses",
    "update quarry.page set missed = missed + 1 where site = $1 and collection = $2 and seen_by < $3"};
constexpr db::PgStatement missed_sql{"missed_pages", "select " PAGE_COLUMNS R"sql( from quarry.page
    where site = $1 and collection = $2 and seen_by < $3 and missed >= $4 order by id limit 256)sql"};
constexpr db::PgStatement drop_results_sql{"drop_results", R"sql(
    delete from quarry.result where grp = $1 and sequence in
        (select sequence from quarry.result where grp = $1 order by sequence limit $2)
    returning content, page)sql"};
// The numbers 1 and 2 are values of PageKeeping. A transaction that is writing such a page gives the page to
// another group. So this statement first waits for that transaction; the next one then checks which group has
// the page.
constexpr db::PgStatement lock_with_group_sql{"lock_pages_with_group", R"sql(
    select id from quarry.page where id = any($1::bigint[]) and keeping = 2 order by id for update)sql"};
constexpr db::PgStatement drop_with_group_sql{"drop_pages_with_group", R"sql(
    delete from quarry.page where id = any($1::bigint[]) and keeping = 2
        and not exists (select 1 from quarry.result where result.page = page.id)
    returning content)sql"};
constexpr db::PgStatement drop_cached_sql{"drop_cached_pages", R"sql(
    delete from quarry.page where id in (
        select id from quarry.page
        where keeping = 1 and fetched_at <= $1
            and not exists (select 1 from quarry.result where result.page = page.id)
        order by fetched_at limit $2 for update skip locked)
    returning content)sql"};
constexpr db::PgStatement drop_private_sql{"drop_private_pages", R"sql(
    delete from quarry.page where id in (select id from quarry.page where collection = $1 limit $2)
    returning content)sql"};

std::string collection_of(const PageOwner& owner) {
    return owner.zero_retention ? private_collection(GroupId(owner.group)) : owner.collection;
}

bool is_indexed(const PageOwner& owner) {
    return owner.index_pages && !owner.zero_retention;
}

// What is indexed stays.
int keeping_of(const PageOwner& owner) {
    return static_cast<int>(is_indexed(owner) ? PageKeeping::for_good : owner.keeping);
}

PageRow row_of(const db::PgRow& row) {
    return {.page = row.integer(0),
            .content = row.integer(1),
            .outbox = row.optional_integer(2),
            .version = row.integer(3),
            .content_hash = static_cast<std::uint64_t>(row.integer(4)),
            .url = std::string(row.text(5)),
            .etag = std::string(row.text(6)),
            .last_modified = std::string(row.text(7)),
            .keeping = page_keeping_of(row.integer(8))};
}

Result<std::int64_t> drop_contents(Ledger& ledger, const std::vector<std::int64_t>& contents) {
    return TRY(ledger.sql().run(drop_contents_sql, db::PgValues(contents))).affected();
}

Result<std::int64_t> insert_content(Ledger& ledger, std::int64_t page, const PackedContent& content) {
    const std::int64_t id = TRY(ledger.new_id());
    const std::string details = TRY(db::unpack_text(content.details));
    const std::string markdown = TRY(db::unpack_text(content.markdown));
    std::optional<std::string> html;
    std::optional<db::Blob> media;
    if (!content.html.empty()) html = TRY(db::unpack_text(content.html));
    if (!content.media.empty()) media = db::Blob{content.media};
    ledger.sql().later(insert_content_sql, db::PgValues(id, page, details, markdown, html, media));
    return id;
}

Result<std::int64_t> add_change(Ledger& ledger, const PageOwner& owner, ChangeRow row) {
    row.id = TRY(ledger.new_id());
    row.collection = owner.collection;
    row.group = owner.group;
    row.priority = embedding_priority(owner.priority);
    insert_change(ledger, row);
    return row.id;
}

// Puts a change of a stored page into the outbox, in place of the change that still waits there, if any.
Result<std::optional<std::int64_t>> queue(Ledger& ledger, const PageOwner& owner, ChangeRow change,
                                          std::optional<std::int64_t> former) {
    if (is_indexed(owner)) {
        if (former) TRY(supersede_change(ledger, *former));
        return TRY(add_change(ledger, owner, std::move(change)));
    }
    // This write asks for no indexing, but a change that already waits must not point at words that are gone.
    if (former) TRY(renew_change(ledger.sql(), *former, *change.content, change.version));
    return former;
}

Result<PageChange> insert(Ledger& ledger, const PageOwner& owner, const PageWrite& write) {
    const PageFacts& facts = write.facts;
    const std::string collection = collection_of(owner);
    const KeyColumn key(write.key);
    const OptionalKeyColumn near_duplicate_of(write.near_duplicate_of);
    const std::int64_t page = TRY(ledger.new_id());
    const std::int64_t content = TRY(insert_content(ledger, page, *write.content));
    std::optional<std::int64_t> outbox;
    if (is_indexed(owner))
        outbox = TRY(add_change(ledger, owner, {.page = page, .content = content, .url = facts.url}));
    ledger.sql().later(
        insert_page_sql,
        db::PgValues(page, collection, key.blob(), owner.site, content, outbox, owner.group, facts.status,
                     hash_column(facts.content_hash), hash_column(facts.simhash), facts.body_bytes,
                     column_of(facts.fetched_at), column_of(ledger.now()), near_duplicate_of.blob(),
                     facts.url, facts.final_url, facts.etag, facts.last_modified, facts.content_type,
                     facts.title, facts.language, keeping_of(owner)));
    return PageChange{.page = page, .content = content, .is_new = true};
}

Result<PageChange> replace(Ledger& ledger, const PageOwner& owner, const PageWrite& write,
                           const PageRow& row) {
    const PageFacts& facts = write.facts;
    const OptionalKeyColumn near_duplicate_of(write.near_duplicate_of);
    const std::int64_t content = TRY(insert_content(ledger, row.page, *write.content));
    const ChangeRow change{
        .page = row.page, .content = content, .version = row.version + 1, .url = facts.url};
    const std::optional<std::int64_t> outbox = TRY(queue(ledger, owner, change, row.outbox));
    ledger.sql().later(
        replace_sql,
        db::PgValues(row.page, owner.site, content, outbox, owner.group, facts.status,
                     hash_column(facts.content_hash), hash_column(facts.simhash), facts.body_bytes,
                     column_of(facts.fetched_at), column_of(ledger.now()), near_duplicate_of.blob(),
                     facts.url, facts.final_url, facts.etag, facts.last_modified, facts.content_type,
                     facts.title, facts.language, keeping_of(owner)));
    TRY(drop_contents(ledger, {row.content}));
    return PageChange{.page = row.page, .content = content};
}

// A page that was stored without indexing is indexed once a caller asks for it.
Result<void> index_if_unknown(Ledger& ledger, const PageOwner& owner, const PageRow& row) {
    if (row.outbox || !is_indexed(owner)) return {};
    const std::int64_t change = TRY(add_change(
        ledger, owner, {.page = row.page, .content = row.content, .version = row.version, .url = row.url}));
    ledger.sql().later(set_outbox_sql, db::PgValues(row.page, change, row.version));
    return {};
}

Result<PageChange> touch(Ledger& ledger, const PageOwner& owner, const PageWrite& write, const PageRow& row) {
    const PageFacts& facts = write.facts;
    const OptionalKeyColumn near_duplicate_of(write.near_duplicate_of);
    ledger.sql().later(
        touch_sql, db::PgValues(row.page, owner.site, owner.group, column_of(facts.fetched_at), facts.etag,
                                facts.last_modified, near_duplicate_of.blob(), keeping_of(owner)));
    TRY(index_if_unknown(ledger, owner, row));
    // An earlier crawl may not have asked for the HTML.
    if (write.content && !write.content->html.empty())
        ledger.sql().later(add_html_sql,
                           db::PgValues(row.content, TRY(db::unpack_text(write.content->html))));
    return PageChange{.page = row.page, .content = row.content, .unchanged = true};
}

Result<PageChange> insert_or_replace(Ledger& ledger, const PageOwner& owner, const PageWrite& write,
                                     const std::optional<PageRow>& row) {
    if (row) return replace(ledger, owner, write, *row);
    if (write.content) return insert(ledger, owner, write);
    return fail(ErrorCode::not_found,
                fmt::format("{} is said to be unchanged, but is not stored", write.facts.url));
}

Result<void> remove(Ledger& ledger, const PageOwner& owner, const PageRow& row) {
    TRY(ledger.sql().run(delete_sql, db::PgValues(row.page)));
    TRY(drop_contents(ledger, {row.content}));
    if (!row.outbox) return {};
    // Needed even if the page's change still waited: an earlier change may have been indexed.
    TRY(supersede_change(ledger, *row.outbox));
    TRY(add_change(ledger, owner, {.page = row.page, .version = row.version + 1, .url = row.url}));
    return {};
}

bool is_same(const std::optional<PageRow>& row, const PageWrite& write) {
    return row && (!write.content || write.facts.content_hash == row->content_hash);
}

}  // namespace

Result<std::optional<PageRow>> find_page(db::PgConnection& sql, const PageOwner& owner, const UrlKey& key) {
    const KeyColumn column(key);
    const std::string collection = collection_of(owner);
    const db::PgRows rows = TRY(sql.run(find_page_sql, db::PgValues(collection, column.blob())));
    if (rows.empty()) return std::nullopt;
    return row_of(db::PgRow(rows, 0));
}

Result<PageChange> write_page_of_url(Ledger& ledger, const PageOwner& owner, std::int64_t url,
                                     const PageWrite& write) {
    const std::optional<PageRow> row = TRY(find_page(ledger.sql(), owner, write.key));
    const PageChange change = is_same(row, write) ? TRY(touch(ledger, owner, write, *row))
                                                  : TRY(insert_or_replace(ledger, owner, write, row));
    const std::int64_t sequence = TRY(ledger.new_id());
    ledger.sql().later(insert_result_sql,
                       db::PgValues(owner.group, sequence, url, change.page, change.content));
    return change;
}

Result<PageChange> write_page(Ledger& ledger, const PageOwner& owner, const PageWrite& write) {
    const std::optional<PageRow> row = TRY(find_page(ledger.sql(), owner, write.key));
    if (!is_same(row, write)) return insert_or_replace(ledger, owner, write, row);
    // The values by which a watcher recognises a file are worth a write; a repeated import is not.
    const bool is_touched = write.facts.etag != row->etag ||
                            write.facts.last_modified != row->last_modified ||
                            row->keeping != PageKeeping::for_good;
    if (is_touched) return touch(ledger, owner, write, *row);
    TRY(index_if_unknown(ledger, owner, *row));
    return PageChange{.page = row->page, .content = row->content, .unchanged = true};
}

Result<bool> forget_page(Ledger& ledger, const FoundPage& page) {
    const PageRow& row = page.row;
    TRY(ledger.sql().run(forget_words_sql, db::PgValues(row.page)));
    // A group may have the same page twice: then the page was forgotten a moment ago.
    const bool was_there = TRY(ledger.sql().run(delete_sql, db::PgValues(row.page))).affected() > 0;
    if (!was_there || !row.outbox) return was_there;
    TRY(supersede_change(ledger, *row.outbox));
    const PageOwner nobody{.collection = page.collection, .priority = priority_normal};
    TRY(add_change(ledger, nobody, {.page = row.page, .version = row.version + 1, .url = row.url}));
    return true;
}

Result<std::optional<ChangeRow>> index_page_again(Ledger& ledger, const PageOwner& owner,
                                                  const FoundPage& page) {
    const PageRow& row = page.row;
    std::optional<ChangeRow> former;
    if (row.outbox) former = TRY(supersede_change(ledger, *row.outbox));
    const std::int64_t version = row.version + 1;  // otherwise the index would take it for one it knows
    const std::int64_t id = TRY(add_change(
        ledger, owner, {.page = row.page, .content = row.content, .version = version, .url = row.url}));
    ledger.sql().later(set_outbox_sql, db::PgValues(row.page, id, version));
    return former;
}

Result<bool> remove_page(Ledger& ledger, const PageOwner& owner, const UrlKey& key) {
    const std::optional<PageRow> row = TRY(find_page(ledger.sql(), owner, key));
    if (!row) return false;
    TRY(remove(ledger, owner, *row));
    return true;
}

Result<std::int64_t> settle_pages(Ledger& ledger, const PageOwner& owner, int after_misses) {
    if (owner.zero_retention) return 0;
    TRY(ledger.sql().run(count_misses_sql, db::PgValues(owner.site, owner.collection, owner.group)));
    std::int64_t removed = 0;
    while (true) {
        const db::PgRows rows = TRY(ledger.sql().run(
            missed_sql, db::PgValues(owner.site, owner.collection, owner.group, after_misses)));
        if (rows.empty()) return removed;
        for (int row = 0; row < rows.size(); ++row) TRY(remove(ledger, owner, row_of(db::PgRow(rows, row))));
        removed += rows.size();
    }
}

Result<DroppedPages> drop_pages_of_group(Ledger& ledger, std::int64_t group, int limit) {
    std::vector<std::int64_t> contents;
    db::PgIntegers met;
    const db::PgRows results = TRY(ledger.sql().run(drop_results_sql, db::PgValues(group, limit)));
    for (int row = 0; row < results.size(); ++row) {
        contents.push_back(results.integer(row, 0));
        met.emplace_back(results.integer(row, 1));
    }
    TRY(ledger.sql().run(lock_with_group_sql, db::PgValues(met)));
    const db::PgRows with_group = TRY(ledger.sql().run(drop_with_group_sql, db::PgValues(met)));
    for (int row = 0; row < with_group.size(); ++row) contents.push_back(with_group.integer(row, 0));
    const std::string collection = private_collection(GroupId(group));
    const db::PgRows pages = TRY(ledger.sql().run(drop_private_sql, db::PgValues(collection, limit)));
    for (int row = 0; row < pages.size(); ++row) contents.push_back(pages.integer(row, 0));
    DroppedPages dropped{.results = results.size(), .pages = pages.size()};
    dropped.contents = TRY(drop_contents(ledger, contents));
    TRY(ledger.sql().run(drop_media_sql, db::PgValues(contents)));
    return dropped;
}

Result<std::int64_t> drop_cached_pages(Ledger& ledger, Timestamp fetched_until, int limit) {
    const db::PgRows rows =
        TRY(ledger.sql().run(drop_cached_sql, db::PgValues(column_of(fetched_until), limit)));
    std::vector<std::int64_t> contents;
    for (int row = 0; row < rows.size(); ++row) contents.push_back(rows.integer(row, 0));
    if (!contents.empty()) TRY(drop_contents(ledger, contents));
    return std::ssize(contents);
}

}  // namespace quarry::store::postgres
