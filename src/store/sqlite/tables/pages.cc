#include "store/sqlite/tables/pages.h"

#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "model/collection.h"
#include "model/job.h"
#include "store/rows/columns.h"

namespace quarry::store {

namespace {

constexpr std::string_view find_page_sql = R"sql(
    SELECT id, content, outbox, version, content_hash, url, etag, last_modified, keeping
    FROM page WHERE collection = ?1 AND key = ?2)sql";

constexpr std::string_view insert_page_sql = R"sql(
    INSERT INTO page(id, collection, key, site, content, outbox, version, seen_by, missed, status, content_hash,
                     simhash, body_bytes, fetched_at, changed_at, near_duplicate_of, url, final_url, etag,
                     last_modified, content_type, title, language, keeping)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1, ?7, 0, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20,
            ?21, ?22))sql";

constexpr std::string_view replace_page_sql = R"sql(
    UPDATE page SET site = iif(?2 = '', site, ?2), content = ?3, outbox = ?4, version = version + 1, seen_by = ?5, missed = 0,
                    status = ?6, content_hash = ?7, simhash = ?8, body_bytes = ?9, fetched_at = ?10,
                    changed_at = ?11, near_duplicate_of = ?12, url = ?13, final_url = ?14, etag = ?15,
                    last_modified = ?16, content_type = ?17, title = ?18, language = ?19,
                    keeping = min(keeping, ?20)
    WHERE id = ?1)sql";

// A 304 need not repeat Last-Modified, and says nothing of a near duplicate: what is known stays.
constexpr std::string_view touch_page_sql = R"sql(
    UPDATE page SET site = iif(?2 = '', site, ?2), seen_by = ?3, missed = 0, fetched_at = ?4,
                    etag = iif(?5 = '', etag, ?5), last_modified = iif(?6 = '', last_modified, ?6),
                    near_duplicate_of = coalesce(?7, near_duplicate_of), keeping = min(keeping, ?8)
    WHERE id = ?1)sql";

constexpr std::string_view insert_content_sql = R"sql(
    INSERT INTO content(id, page, details, markdown, html, media) VALUES (?1, ?2, ?3, ?4, ?5, ?6))sql";

constexpr std::string_view add_html_sql = R"sql(
    UPDATE content SET html = ?2 WHERE id = ?1 AND html IS NULL)sql";

constexpr std::string_view drop_content_sql = R"sql(
    DELETE FROM content
    WHERE id = ?1
      AND NOT EXISTS (SELECT 1 FROM page WHERE page.id = content.page AND page.content = ?1)
      AND NOT EXISTS (SELECT 1 FROM result WHERE result.page = content.page AND result.content = ?1)
    RETURNING id)sql";

// Of words that stay although no crawl has them any more.
constexpr std::string_view drop_media_sql = R"sql(
    UPDATE content SET media = NULL
    WHERE id = ?1 AND media IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM result WHERE result.page = content.page AND result.content = ?1))sql";

constexpr std::string_view insert_result_sql = R"sql(
    INSERT INTO result(grp, sequence, url, page, content) VALUES (?1, ?2, ?3, ?4, ?5))sql";

constexpr std::string_view forget_results_sql = "DELETE FROM result WHERE page = ?1 RETURNING url, content";

constexpr std::string_view forget_content_sql = "DELETE FROM content WHERE id = ?1";

constexpr std::string_view forget_url_sql = "UPDATE frontier SET content = NULL WHERE id = ?1";

constexpr std::string_view set_outbox_sql =
    "UPDATE page SET outbox = ?2, version = ?3, keeping = 0 WHERE id = ?1";

constexpr std::string_view delete_page_sql = "DELETE FROM page WHERE id = ?1 RETURNING id";

constexpr std::string_view count_misses_sql = R"sql(
    UPDATE page SET missed = missed + 1 WHERE site = ?1 AND collection = ?2 AND seen_by < ?3)sql";

constexpr std::string_view missed_pages_sql = R"sql(
    SELECT id, content, outbox, version, content_hash, url, etag, last_modified, keeping FROM page
    WHERE site = ?1 AND id > ?5 AND collection = ?2 AND seen_by < ?3 AND missed >= ?4
    ORDER BY id LIMIT 256)sql";

constexpr std::string_view has_pages_sql = R"sql(
    SELECT 1 FROM page WHERE site = ?1 AND collection = ?2 LIMIT 1)sql";

constexpr std::string_view results_sql = R"sql(
    SELECT sequence, content, page FROM result WHERE grp = ?1 ORDER BY sequence LIMIT ?2)sql";

constexpr std::string_view delete_results_sql = "DELETE FROM result WHERE grp = ?1 AND sequence <= ?2";

constexpr std::string_view pages_without_retention_sql = R"sql(
    SELECT id, content FROM page WHERE collection = ?1 LIMIT ?2)sql";

// 1 and 2 are those of PageKeeping.
constexpr std::string_view drop_with_group_sql = R"sql(
    DELETE FROM page WHERE id = ?1 AND keeping = 2 AND NOT EXISTS (SELECT 1 FROM result WHERE result.page = ?1)
    RETURNING content)sql";

constexpr std::string_view drop_cached_sql = R"sql(
    DELETE FROM page WHERE id IN (
        SELECT id FROM page INDEXED BY page_cached
        WHERE keeping = 1 AND fetched_at <= ?1 AND NOT EXISTS (SELECT 1 FROM result WHERE result.page = page.id)
        ORDER BY fetched_at LIMIT ?2)
    RETURNING content)sql";

std::string collection_written(const PageOwner& owner) {
    return owner.zero_retention ? private_collection(owner.group) : owner.collection;
}

bool is_indexed(const PageOwner& owner) {
    return owner.index_pages && !owner.zero_retention;
}

// What is indexed stays.
int keeping_of(const PageOwner& owner) {
    return static_cast<int>(is_indexed(owner) ? PageKeeping::for_good : owner.keeping);
}

}  // namespace

Result<PageRows> PageRows::create(db::Connection& connection, Surroundings surroundings) {
    Statements sql;
    const std::array<std::pair<db::Statement*, std::string_view>, 22> all = {{
        {&sql.find, find_page_sql},
        {&sql.insert_page, insert_page_sql},
        {&sql.replace_page, replace_page_sql},
        {&sql.touch_page, touch_page_sql},
        {&sql.insert_content, insert_content_sql},
        {&sql.add_html, add_html_sql},
        {&sql.drop_content, drop_content_sql},
        {&sql.drop_media, drop_media_sql},
        {&sql.insert_result, insert_result_sql},
        {&sql.forget_results, forget_results_sql},
        {&sql.forget_content, forget_content_sql},
        {&sql.forget_url, forget_url_sql},
        {&sql.set_outbox, set_outbox_sql},
        {&sql.delete_page, delete_page_sql},
        {&sql.count_misses, count_misses_sql},
        {&sql.missed_pages, missed_pages_sql},
        {&sql.has_pages, has_pages_sql},
        {&sql.results, results_sql},
        {&sql.delete_results, delete_results_sql},
        {&sql.pages_without_retention, pages_without_retention_sql},
        {&sql.drop_with_group, drop_with_group_sql},
        {&sql.drop_cached, drop_cached_sql},
    }};
    for (const auto& [statement, text] : all) *statement = TRY(connection.prepare(text));
    return PageRows(std::move(sql), std::move(surroundings));
}

PageRows::Row PageRows::row_of(const db::Statement& statement) {
    return Row{
        .page = PageId{statement.integer(0)},
        .content = ContentId{statement.integer(1)},
        .outbox = statement.optional_integer(2),
        .version = statement.integer(3),
        .content_hash = static_cast<std::uint64_t>(statement.integer(4)),
        .url = std::string(statement.text(5)),
        .etag = std::string(statement.text(6)),
        .last_modified = std::string(statement.text(7)),
        .keeping = page_keeping_of(statement.integer(8)),
    };
}

Result<std::optional<PageRows::Row>> PageRows::find(const std::string& collection, const UrlKey& key) {
    const KeyColumn key_column(key);
    std::optional<Row> row;
    if (TRY(sql_.find.bind(collection, key_column.blob()).step())) row = row_of(sql_.find);
    sql_.find.reset();
    return row;
}

Result<PageChange> PageRows::write(const PageOwner& owner, JobId url, const PageWrite& write) {
    const std::optional<Row> row = TRY(find(collection_written(owner), write.key));
    const bool is_same = row && (!write.content || write.facts.content_hash == row->content_hash);
    const PageChange change =
        is_same ? TRY(touch(owner, write, *row)) : TRY(insert_or_replace(owner, write, row));
    TRY(sql_.insert_result
            .bind(number(owner.group), around_.next_id(), number(url), number(change.page),
                  number(change.content))
            .run());
    return change;
}

Result<PageChange> PageRows::write(const PageOwner& owner, const PageWrite& write) {
    const std::optional<Row> row = TRY(find(collection_written(owner), write.key));
    const bool is_same = row && (!write.content || write.facts.content_hash == row->content_hash);
    if (!is_same) return insert_or_replace(owner, write, row);
    // What tells a watcher that a file is the one it knows is worth a write; an import done again is not.
    const bool is_touched = write.facts.etag != row->etag ||
                            write.facts.last_modified != row->last_modified ||
                            row->keeping != PageKeeping::for_good;
    if (is_touched) return touch(owner, write, *row);
    TRY(index_if_unknown(owner, *row));
    return PageChange{.page = row->page, .content = row->content, .unchanged = true};
}

Result<PageChange> PageRows::insert_or_replace(const PageOwner& owner, const PageWrite& write,
                                               const std::optional<Row>& row) {
    if (row) return replace(owner, write, *row);
    if (write.content) return insert(owner, write);
    return fail(ErrorCode::not_found,
                fmt::format("{} is said to be unchanged, but is not stored", write.facts.url));
}

Result<PageChange> PageRows::insert(const PageOwner& owner, const PageWrite& write) {
    const PageFacts& facts = write.facts;
    const std::string collection = collection_written(owner);
    const KeyColumn key(write.key);
    const OptionalKeyColumn near_duplicate_of(write.near_duplicate_of);
    const PageId page{around_.next_id()};
    const ContentId content = TRY(insert_content(page, *write.content));
    std::optional<std::int64_t> outbox;
    if (is_indexed(owner)) {
        outbox = TRY(insert_change(owner, {.page = page, .content = content, .url = facts.url}));
    }
    TRY(sql_.insert_page
            .bind(number(page), collection, key.blob(), owner.site, number(content), outbox,
                  number(owner.group), facts.status, hash_column(facts.content_hash),
                  hash_column(facts.simhash), facts.body_bytes, column_of(facts.fetched_at),
                  column_of(around_.now()), near_duplicate_of.blob(), facts.url, facts.final_url, facts.etag,
                  facts.last_modified, facts.content_type, facts.title, facts.language, keeping_of(owner))
            .run());
    return PageChange{.page = page, .content = content, .is_new = true};
}

Result<PageChange> PageRows::replace(const PageOwner& owner, const PageWrite& write, const Row& row) {
    const PageFacts& facts = write.facts;
    const OptionalKeyColumn near_duplicate_of(write.near_duplicate_of);
    const ContentId content = TRY(insert_content(row.page, *write.content));
    const ChangeRow change{
        .page = row.page, .content = content, .version = row.version + 1, .url = facts.url};
    const std::optional<std::int64_t> outbox = TRY(queue(owner, change, row.outbox));
    TRY(sql_.replace_page
            .bind(number(row.page), owner.site, number(content), outbox, number(owner.group), facts.status,
                  hash_column(facts.content_hash), hash_column(facts.simhash), facts.body_bytes,
                  column_of(facts.fetched_at), column_of(around_.now()), near_duplicate_of.blob(), facts.url,
                  facts.final_url, facts.etag, facts.last_modified, facts.content_type, facts.title,
                  facts.language, keeping_of(owner))
            .run());
    (void)TRY(drop_content(row.content));
    return PageChange{.page = row.page, .content = content};
}

Result<PageChange> PageRows::touch(const PageOwner& owner, const PageWrite& write, const Row& row) {
    const PageFacts& facts = write.facts;
    const OptionalKeyColumn near_duplicate_of(write.near_duplicate_of);
    TRY(sql_.touch_page
            .bind(number(row.page), owner.site, number(owner.group), column_of(facts.fetched_at), facts.etag,
                  facts.last_modified, near_duplicate_of.blob(), keeping_of(owner))
            .run());
    TRY(index_if_unknown(owner, row));
    // An earlier crawl may not have asked for the HTML.
    if (write.content && !write.content->html.empty()) {
        TRY(sql_.add_html.bind(number(row.content), db::Blob{write.content->html}).run());
    }
    return PageChange{.page = row.page, .content = row.content, .unchanged = true};
}

// A page that was only ever stored is indexed as soon as somebody wants it to be.
Result<void> PageRows::index_if_unknown(const PageOwner& owner, const Row& row) {
    if (row.outbox || !is_indexed(owner)) return {};
    const std::int64_t change = TRY(insert_change(
        owner, {.page = row.page, .content = row.content, .version = row.version, .url = row.url}));
    return sql_.set_outbox.bind(number(row.page), change, row.version).run();
}

// Puts a change of a stored page into the outbox, in place of the change that still waits there, if any.
Result<std::optional<std::int64_t>> PageRows::queue(const PageOwner& owner, ChangeRow change,
                                                    std::optional<std::int64_t> former) {
    if (is_indexed(owner)) {
        if (former) TRY(around_.outbox.rows.supersede(*former));
        return TRY(insert_change(owner, std::move(change)));
    }
    // Asks for no indexing, but what waits already must not point at words that are gone.
    if (former) TRY(around_.outbox.rows.renew(*former, *change.content, change.version));
    return former;
}

Result<std::int64_t> PageRows::insert_change(const PageOwner& owner, ChangeRow row) {
    row.id = around_.next_id();
    row.collection = owner.collection;
    row.group = number(owner.group);
    row.priority = embedding_priority(owner.priority);
    TRY(around_.outbox.add(row, around_.now()));
    return row.id;
}

Result<ContentId> PageRows::insert_content(PageId page, const PackedContent& content) {
    const ContentId id{around_.next_id()};
    std::optional<db::Blob> html, media;
    if (!content.html.empty()) html = db::Blob{content.html};
    if (!content.media.empty()) media = db::Blob{content.media};
    TRY(sql_.insert_content
            .bind(number(id), number(page), db::Blob{content.details}, db::Blob{content.markdown}, html,
                  media)
            .run());
    return id;
}

Result<bool> PageRows::drop_content(ContentId content) {
    const bool dropped = TRY(sql_.drop_content.bind(number(content)).step());
    sql_.drop_content.reset();
    return dropped;
}

Result<bool> PageRows::remove(const PageOwner& owner, const UrlKey& key) {
    const std::optional<Row> row = TRY(find(collection_written(owner), key));
    if (!row) return false;
    TRY(remove(owner, *row));
    return true;
}

Result<void> PageRows::remove(const PageOwner& owner, const Row& row) {
    TRY(sql_.delete_page.bind(number(row.page)).run());
    (void)TRY(drop_content(row.content));
    if (!row.outbox) return {};
    // Even if its change still waited: an earlier one may have been indexed.
    TRY(around_.outbox.rows.supersede(*row.outbox));
    TRY(insert_change(owner, {.page = row.page, .version = row.version + 1, .url = row.url}));
    return {};
}

Result<bool> PageRows::forget(const FoundPage& page) {
    std::vector<std::int64_t> urls, contents = {number(page.content)};
    sql_.forget_results.bind(number(page.page));
    while (TRY(sql_.forget_results.step())) {
        urls.push_back(sql_.forget_results.integer(0));
        contents.push_back(sql_.forget_results.integer(1));
    }
    sql_.forget_results.reset();
    for (const std::int64_t url : urls) TRY(sql_.forget_url.bind(url).run());
    for (const std::int64_t content : contents) TRY(sql_.forget_content.bind(content).run());
    // A group may have a page twice: then it was forgotten a moment ago.
    sql_.delete_page.bind(number(page.page));
    const bool was_there = TRY(sql_.delete_page.step());
    sql_.delete_page.reset();
    if (!was_there || !page.outbox) return was_there;
    TRY(around_.outbox.rows.supersede(*page.outbox));
    const PageOwner nobody{.collection = page.collection, .priority = priority_normal};
    TRY(insert_change(nobody, {.page = page.page, .version = page.version + 1, .url = page.url}));
    return true;
}

Result<std::optional<ChangeRow>> PageRows::index_again(const PageOwner& owner, const FoundPage& page) {
    std::optional<ChangeRow> former;
    if (page.outbox) former = TRY(around_.outbox.rows.supersede(*page.outbox));
    const std::int64_t version = page.version + 1;  // or the index would think that it knows it
    const std::int64_t id = TRY(insert_change(
        owner, {.page = page.page, .content = page.content, .version = version, .url = page.url}));
    TRY(sql_.set_outbox.bind(number(page.page), id, version).run());
    return former;
}

Result<std::int64_t> PageRows::settle(const PageOwner& owner, int after_misses) {
    if (owner.zero_retention) return 0;
    TRY(sql_.count_misses.bind(owner.site, owner.collection, number(owner.group)).run());
    std::int64_t removed = 0, last = 0;
    while (true) {
        std::vector<Row> rows;
        sql_.missed_pages.bind(owner.site, owner.collection, number(owner.group), after_misses, last);
        while (TRY(sql_.missed_pages.step())) rows.push_back(row_of(sql_.missed_pages));
        sql_.missed_pages.reset();
        if (rows.empty()) return removed;
        for (const Row& row : rows) TRY(remove(owner, row));
        removed += static_cast<std::int64_t>(rows.size());
        last = number(rows.back().page);
    }
}

Result<std::optional<FormerPage>> PageRows::former(const PageOwner& owner, const UrlKey& key) {
    if (owner.zero_retention) return std::nullopt;
    std::optional<Row> row = TRY(find(owner.collection, key));
    if (!row) return std::nullopt;
    return FormerPage{.page = row->page,
                      .content = row->content,
                      .etag = std::move(row->etag),
                      .last_modified = std::move(row->last_modified),
                      .content_hash = row->content_hash};
}

Result<bool> PageRows::has_pages(const PageOwner& owner) {
    if (owner.zero_retention) return false;
    const bool has = TRY(sql_.has_pages.bind(owner.site, owner.collection).step());
    sql_.has_pages.reset();
    return has;
}

Result<DroppedPages> PageRows::drop_group(GroupId group, int limit) {
    DroppedPages dropped;
    std::vector<ContentId> contents;
    std::vector<std::int64_t> met;
    std::int64_t last = 0;
    sql_.results.bind(number(group), limit);
    while (TRY(sql_.results.step())) {
        last = sql_.results.integer(0);
        contents.push_back(ContentId{sql_.results.integer(1)});
        met.push_back(sql_.results.integer(2));
    }
    sql_.results.reset();
    dropped.results = static_cast<std::int64_t>(contents.size());
    TRY(sql_.delete_results.bind(number(group), last).run());
    for (const std::int64_t page : met) {
        sql_.drop_with_group.bind(page);
        while (TRY(sql_.drop_with_group.step()))
            contents.push_back(ContentId{sql_.drop_with_group.integer(0)});
        sql_.drop_with_group.reset();
    }

    const std::string collection = private_collection(group);
    std::vector<PageId> pages;
    sql_.pages_without_retention.bind(collection, limit);
    while (TRY(sql_.pages_without_retention.step())) {
        pages.push_back(PageId{sql_.pages_without_retention.integer(0)});
        contents.push_back(ContentId{sql_.pages_without_retention.integer(1)});
    }
    sql_.pages_without_retention.reset();
    for (const PageId page : pages) TRY(sql_.delete_page.bind(number(page)).run());
    dropped.pages = static_cast<std::int64_t>(pages.size());

    for (const ContentId content : contents) {
        if (TRY(drop_content(content))) {
            ++dropped.contents;
        } else {
            TRY(sql_.drop_media.bind(number(content)).run());
        }
    }
    return dropped;
}

Result<std::int64_t> PageRows::drop_cached(Timestamp fetched_until, int limit) {
    std::vector<ContentId> contents;
    sql_.drop_cached.bind(column_of(fetched_until), limit);
    while (TRY(sql_.drop_cached.step())) contents.push_back(ContentId{sql_.drop_cached.integer(0)});
    sql_.drop_cached.reset();
    for (const ContentId content : contents) (void)TRY(drop_content(content));
    return std::ssize(contents);
}

}  // namespace quarry::store
