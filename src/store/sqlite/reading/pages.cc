#include "store/rows/pages.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "store/sqlite/reading/query.h"
#include "store/sqlite/reading/reading.h"

namespace quarry::store {

namespace {

// Walking a collection passes the pages of others. After so many the call returns with what it has, so that
// no snapshot is held for long.
constexpr std::int64_t max_pages_walked = 20'000;

#define NEAR_DUPLICATE \
    " LEFT JOIN page AS twin ON twin.collection = page.collection AND twin.key = page.near_duplicate_of"
#define CONTENT_COLUMNS ", content.markdown, content.details, content.html"

constexpr std::string_view pages_of_collection =
    "SELECT page.id, page.id, page.content, page.collection, page.url, page.final_url, page.status,"
    " page.fetched_at," PAGE_FACTS;

constexpr std::string_view versions_of_pages =
    "SELECT content.id, content.page, content.id, page.collection, page.url, page.final_url, page.status,"
    " page.fetched_at," PAGE_FACTS;

constexpr std::string_view pages_of_group =
    "SELECT result.sequence, result.page, result.content, grp.collection, frontier.url,"
    " coalesce(frontier.final_url, ''), frontier.status, frontier.finished_at," PAGE_FACTS;

constexpr std::string_view page_of_url =
    "SELECT frontier.id, content.page, content.id, grp.collection, frontier.url,"
    " coalesce(frontier.final_url, ''), frontier.status, frontier.finished_at," PAGE_FACTS;

// A page as read, its words still packed: they are unpacked when the snapshot is no longer held.
struct PackedPage {
    std::int64_t place = 0;
    StoredPage page{};
    std::optional<PackedContent> content{};
};

PackedPage packed_page_of(const db::Statement& row, bool with_content) {
    PackedPage packed{.place = row.integer(0), .page = page_of(row)};
    if (with_content) {
        packed.content = PackedContent{.markdown = std::string(row.text(page_columns)),
                                       .details = std::string(row.text(page_columns + 1)),
                                       .html = std::string(row.text(page_columns + 2))};
    }
    return packed;
}

Result<StoredPage> unpacked(PackedPage packed) {
    if (packed.content) {
        auto content = unpack(*packed.content);
        if (!content) {
            return fail(content.error().code,
                        fmt::format("{}: {} (in quarry.db)", packed.page.facts.url, content.error().message));
        }
        packed.page.content = *std::move(content);
    }
    return std::move(packed.page);
}

Query query_of_group(const PageQuery& page) {
    Query query{std::string(pages_of_group)};
    if (page.with_content) query.add(CONTENT_COLUMNS);
    query.add(
        " FROM result CROSS JOIN grp ON grp.id = result.grp LEFT JOIN frontier ON frontier.id = result.url"
        " LEFT JOIN page ON page.id = result.page" NEAR_DUPLICATE);
    if (page.with_content) query.add(" LEFT JOIN content ON content.id = result.content");
    query.add(" WHERE result.grp = ?", *page.group).add(" AND result.sequence > ?", page.after);
    if (!page.collection.empty()) query.add(" AND grp.collection = ?", page.collection);
    query.add(" ORDER BY result.sequence LIMIT ?", page.limit).add(" OFFSET ?", page.skip);
    return query;
}

// By the URL's own row: the list of results is in the order in which they came.
Query query_of_url(const PageQuery& page) {
    Query query{std::string(page_of_url)};
    if (page.with_content) query.add(CONTENT_COLUMNS);
    query.add(
        " FROM frontier CROSS JOIN grp ON grp.id = frontier.grp CROSS JOIN content ON content.id = "
        "frontier.content"
        " LEFT JOIN page ON page.id = content.page" NEAR_DUPLICATE);
    query.add(" WHERE frontier.id = ?", *page.url).add(" AND frontier.grp = ?", *page.group);
    return query;
}

Query query_of_collection(const PageQuery& page, std::int64_t until) {
    Query query{std::string(pages_of_collection)};
    if (page.with_content) query.add(CONTENT_COLUMNS);
    query.add(" FROM page" NEAR_DUPLICATE);
    if (page.with_content) query.add(" LEFT JOIN content ON content.id = page.content");
    query.add(" WHERE page.id > ?", page.after).add(" AND page.id <= ?", until);
    // Names that begin so belong to groups without retention, and are nobody else's to see.
    query.add(" AND page.collection NOT GLOB '#*'");
    // The plus keeps SQLite from taking the index on (collection, key) and sorting.
    if (!page.collection.empty()) query.add(" AND +page.collection = ?", page.collection);
    query.add(" ORDER BY page.id LIMIT ?", page.limit);
    return query;
}

// The id of the last page that a call looks at; nothing if there is no page after `after`.
Result<std::optional<std::int64_t>> end_of_walk(db::Connection& connection, std::int64_t after) {
    Query query("SELECT max(id) FROM (SELECT id FROM page");
    query.add(" WHERE id > ?", after).add(" ORDER BY id LIMIT ?)", max_pages_walked);
    std::optional<std::int64_t> last;
    TRY(query.each(connection, [&](const db::Statement& row) { last = row.optional_integer(0); }));
    return last;
}

Result<StoredPages> read(db::Connection& connection, Query query, const PageQuery& page) {
    std::vector<PackedPage> rows;
    TRY(query.each(connection, [&](const db::Statement& row) {
        rows.push_back(packed_page_of(row, page.with_content));
    }));
    StoredPages pages;
    pages.last = rows.empty() ? page.after : rows.back().place;
    if (std::ssize(rows) >= page.limit && !rows.empty()) pages.next = pages.last;
    for (PackedPage& row : rows) {
        auto whole = unpacked(std::move(row));
        const bool is_passed = !whole && page.pass_damaged && whole.error().code == ErrorCode::corrupt;
        if (is_passed) {
            pages.damaged.push_back(std::move(whole.error()));
        } else {
            pages.pages.push_back(TRY(std::move(whole)));
        }
    }
    return pages;
}

}  // namespace

Result<StoredPages> read_pages(db::Connection& connection, const PageQuery& page) {
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

Result<std::vector<StoredPage>> read_page_versions(db::Connection& connection,
                                                   std::span<const ContentId> versions) {
    db::Statement find = TRY(connection.prepare(
        std::string(versions_of_pages) +
        ", content.markdown, content.details, NULL"
        " FROM content LEFT JOIN page ON page.id = content.page" NEAR_DUPLICATE " WHERE content.id = ?1"));
    std::vector<StoredPage> pages;
    for (const ContentId version : versions) {
        if (!TRY(find.bind(number(version)).step())) continue;
        PackedPage packed = packed_page_of(find, true);
        find.reset();  // no snapshot is held while it is unpacked
        pages.push_back(TRY(unpacked(std::move(packed))));
    }
    return pages;
}

Result<std::string> read_media(db::Connection& connection, ContentId version) {
    db::Statement find = TRY(connection.prepare("SELECT media FROM content WHERE id = ?1"));
    if (!TRY(find.bind(number(version)).step())) return std::string();
    return std::string(find.text(0));
}

Result<std::int64_t> read_stored_bytes(db::Connection& connection,
                                       const std::vector<std::string>& collections) {
    if (collections.empty()) return 0;
    Query query("WITH mine(id, content) AS (SELECT id, content FROM page WHERE collection IN (");
    const char* value = "?";
    for (const std::string& name : collections) query.add(std::exchange(value, ", ?"), name);
    query.add(
        ")), kept(content) AS (SELECT content FROM mine UNION"
        "  SELECT result.content FROM mine CROSS JOIN result ON result.page = mine.id)"
        " SELECT sum(length(details) + length(markdown) + coalesce(length(html), 0)"
        "            + coalesce(length(media), 0))"
        " FROM kept CROSS JOIN content ON content.id = kept.content");
    std::int64_t bytes = 0;
    TRY(query.each(connection,
                   [&](const db::Statement& row) { bytes = row.optional_integer(0).value_or(0); }));
    return bytes;
}

Result<std::optional<StoredPage>> read_page(db::Connection& connection, std::string_view collection,
                                            const UrlKey& key) {
    const KeyColumn column(key);
    Query query{std::string(pages_of_collection)};
    query.add(CONTENT_COLUMNS " FROM page" NEAR_DUPLICATE " LEFT JOIN content ON content.id = page.content");
    query.add(" WHERE page.collection = ?", collection).add_blob(" AND page.key = ?", column.blob());
    std::optional<PackedPage> found;
    TRY(query.each(connection, [&](const db::Statement& row) { found = packed_page_of(row, true); }));
    if (!found) return std::nullopt;
    return TRY(unpacked(*std::move(found)));
}

}  // namespace quarry::store
