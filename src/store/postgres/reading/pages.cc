#include "store/rows/pages.h"

#include <utility>

#include <fmt/format.h>

#include "db/packed_text.h"
#include "store/postgres/reading/query.h"
#include "store/postgres/reading/reading.h"

namespace quarry::store::postgres {

namespace {

// Walking a collection passes the pages of others. After so many the call returns with what it has.
constexpr std::int64_t max_pages_walked = 20'000;

#define NEAR_DUPLICATE               \
    " left join quarry.page as twin" \
    " on twin.collection = page.collection and twin.key = page.near_duplicate_of"
#define CONTENT_COLUMNS ", content.markdown, content.details, content.html, content.html_packed"

constexpr std::string_view pages_of_collection =
    "select page.id, page.id, page.content, page.collection, page.url, page.final_url, page.status,"
    " page.fetched_at," PAGE_FACTS;

constexpr std::string_view pages_of_group =
    "select result.sequence, result.page, result.content, grp.collection, frontier.url,"
    " coalesce(frontier.final_url, ''), frontier.status, frontier.finished_at," PAGE_FACTS;

constexpr std::string_view page_of_url =
    "select frontier.id, content.page, content.id, grp.collection, frontier.url,"
    " coalesce(frontier.final_url, ''), frontier.status, frontier.finished_at," PAGE_FACTS;

constexpr std::string_view versions_of_pages =
    "select asked.place, content.page, content.id, page.collection, page.url, page.final_url, page.status,"
    " page.fetched_at," PAGE_FACTS;

struct PlacedPage {
    std::int64_t place = 0;
    Result<StoredPage> page;  // or why it cannot be read
};

// Of rows that an older program wrote the HTML is packed.
Result<std::string> html_of(const db::PgRow& row) {
    if (!row.is_null(page_columns + 2)) return std::string(row.text(page_columns + 2));
    if (row.is_null(page_columns + 3)) return std::string();
    return db::unpack_text(row.text(page_columns + 3));
}

// The words are text, so that the database can read them.
Result<StoredPage> whole_page_of(const db::PgRow& row, bool with_content) {
    StoredPage page = page_of(row);
    if (!with_content) return page;
    auto html = html_of(row);
    if (!html) return fail(html.error().code, fmt::format("{}: {}", page.facts.url, html.error().message));
    page.content = Content{.markdown = std::string(row.text(page_columns)),
                           .details = std::string(row.text(page_columns + 1)),
                           .html = *std::move(html)};
    return page;
}

Result<std::vector<PlacedPage>> read_rows(db::PgConnection& connection, const Query& query,
                                          bool with_content) {
    std::vector<PlacedPage> pages;
    TRY(query.each(connection, [&](const db::PgRow& row) {
        pages.push_back({row.integer(0), whole_page_of(row, with_content)});
    }));
    return pages;
}

Query query_of_group(const PageQuery& page) {
    Query query{std::string(pages_of_group)};
    if (page.with_content) query.add(CONTENT_COLUMNS);
    // What is listed is chosen first: nothing is joined to what is skipped.
    query.add(" from (select * from quarry.result where true");
    query.add(" and grp = ?", *page.group).add(" and sequence > ?", page.after);
    query.add(" order by sequence limit ?", page.limit).add(" offset ?) as result", page.skip);
    query.add(
        " join quarry.grp on grp.id = result.grp left join quarry.frontier on frontier.id = result.url"
        " left join quarry.page on page.id = result.page" NEAR_DUPLICATE);
    if (page.with_content) query.add(" left join quarry.content on content.id = result.content");
    if (!page.collection.empty()) query.add(" where grp.collection = ?", page.collection);
    query.add(" order by result.sequence");
    return query;
}

// By the URL's own row: the list of results is in the order in which they came.
Query query_of_url(const PageQuery& page) {
    Query query{std::string(page_of_url)};
    if (page.with_content) query.add(CONTENT_COLUMNS);
    query.add(
        " from quarry.frontier join quarry.grp on grp.id = frontier.grp"
        " join quarry.content on content.id = frontier.content"
        " left join quarry.page on page.id = content.page" NEAR_DUPLICATE);
    query.add(" where frontier.id = ?", *page.url).add(" and frontier.grp = ?", *page.group);
    return query;
}

Query query_of_collection(const PageQuery& page, std::int64_t until) {
    Query query{std::string(pages_of_collection)};
    if (page.with_content) query.add(CONTENT_COLUMNS);
    query.add(" from quarry.page" NEAR_DUPLICATE);
    if (page.with_content) query.add(" left join quarry.content on content.id = page.content");
    query.add(" where page.id > ?", page.after).add(" and page.id <= ?", until);
    // Names that begin so belong to groups without retention, and are nobody else's to see.
    query.add(" and page.collection not like '#%'");
    if (!page.collection.empty()) query.add(" and page.collection = ?", page.collection);
    query.add(" order by page.id limit ?", page.limit);
    return query;
}

// The id of the last page that a call looks at; nothing if there is no page after `after`.
Result<std::optional<std::int64_t>> end_of_walk(db::PgConnection& connection, std::int64_t after) {
    Query query("select max(id) from (select id from quarry.page");
    query.add(" where id > ?", after).add(" order by id limit ?) as walked", max_pages_walked);
    std::optional<std::int64_t> last;
    TRY(query.each(connection, [&](const db::PgRow& row) { last = row.optional_integer(0); }));
    return last;
}

Result<StoredPages> read(db::PgConnection& connection, const Query& query, const PageQuery& page) {
    std::vector<PlacedPage> rows = TRY(read_rows(connection, query, page.with_content));
    StoredPages pages;
    pages.last = rows.empty() ? page.after : rows.back().place;
    if (std::ssize(rows) >= page.limit && !rows.empty()) pages.next = pages.last;
    for (PlacedPage& row : rows) {
        const bool is_passed = !row.page && page.pass_damaged && row.page.error().code == ErrorCode::corrupt;
        if (is_passed) {
            pages.damaged.push_back(std::move(row.page.error()));
        } else {
            pages.pages.push_back(TRY(std::move(row.page)));
        }
    }
    return pages;
}

}  // namespace

Result<StoredPages> read_pages(db::PgConnection& connection, const PageQuery& page) {
    if (page.group && page.url) {
        StoredPages found = TRY(read(connection, query_of_url(page), page));
        found.next.reset();
        return found;
    }
    if (page.group) return read(connection, query_of_group(page), page);
    const std::optional<std::int64_t> until = TRY(end_of_walk(connection, page.after));
    if (!until) return StoredPages{};
    StoredPages pages = TRY(read(connection, query_of_collection(page, *until), page));
    if (!pages.next && TRY(end_of_walk(connection, *until))) pages.next = until;
    return pages;
}

Result<std::vector<StoredPage>> read_page_versions(db::PgConnection& connection,
                                                   std::span<const ContentId> versions) {
    Query query{std::string(versions_of_pages)};
    query.add(", content.markdown, content.details, null::text, null::bytea");
    query.add_array(" from unnest(?) with ordinality as asked(id, place)",
                    std::vector(versions.begin(), versions.end()));
    query.add(
        " join quarry.content on content.id = asked.id"
        " left join quarry.page on page.id = content.page" NEAR_DUPLICATE " order by asked.place");
    std::vector<StoredPage> pages;
    for (PlacedPage& placed : TRY(read_rows(connection, query, true)))
        pages.push_back(TRY(std::move(placed.page)));
    return pages;
}

Result<std::string> read_media(db::PgConnection& connection, ContentId version) {
    Query query{"select media from quarry.content"};
    query.add(" where id = ?", number(version));
    std::string media;
    TRY(query.each(connection, [&](const db::PgRow& row) { media = row.text(0); }));
    return media;
}

Result<std::int64_t> read_stored_bytes(db::PgConnection& connection,
                                       const std::vector<std::string>& collections) {
    if (collections.empty()) return 0;
    Query query("with mine as (select id, content from quarry.page where collection in (");
    const char* value = "?";
    for (const std::string& name : collections) query.add(std::exchange(value, ", ?"), name);
    query.add(
        ")), kept as (select content from mine union"
        "  select result.content from mine join quarry.result on result.page = mine.id)"
        " select sum(pg_column_size(details) + pg_column_size(markdown) + coalesce(pg_column_size(html), 0)"
        "            + coalesce(pg_column_size(html_packed), 0) + coalesce(pg_column_size(media), 0))::bigint"
        " from kept join quarry.content on content.id = kept.content");
    std::int64_t bytes = 0;
    TRY(query.each(connection, [&](const db::PgRow& row) { bytes = row.optional_integer(0).value_or(0); }));
    return bytes;
}

Result<std::optional<StoredPage>> read_page(db::PgConnection& connection, std::string_view collection,
                                            const UrlKey& key) {
    const KeyColumn column(key);
    Query query{std::string(pages_of_collection)};
    query.add(CONTENT_COLUMNS " from quarry.page" NEAR_DUPLICATE
                              " left join quarry.content on content.id = page.content");
    query.add(" where page.collection = ?", collection).add_blob(" and page.key = ?", column.blob());
    std::vector<PlacedPage> found = TRY(read_rows(connection, query, true));
    if (found.empty()) return std::nullopt;
    return TRY(std::move(found.front().page));
}

}  // namespace quarry::store::postgres
