#include "index/postgres/log_rows.h"

#include <algorithm>
#include <deque>
#include <unordered_map>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "db/postgres/values.h"
#include "index/embedded/page_rows.h"
#include "index/embedded/vectors.h"

namespace quarry::index {

namespace {

#define COLLECTION_COLUMNS "id, sequence, generation, provider, model, version, dimensions"

// Writers share it among themselves, although each of them changes its sequence number in the end: only who
// changes its key, which dropping does, has to wait for them.
constexpr db::PgStatement lock_collection = {"index_collection_lock",
                                             "select " COLLECTION_COLUMNS
                                             " from quarry.index_collection where name = $1 for key share"};
constexpr db::PgStatement find_statement = {
    "index_collection_find", "select " COLLECTION_COLUMNS " from quarry.index_collection where name = $1"};
constexpr db::PgStatement read_statement = {
    "index_collection_read",
    "select " COLLECTION_COLUMNS " from quarry.index_collection where id = $1 and name is not null"};
constexpr db::PgStatement add_statement = {
    "index_collection_add",
    "insert into quarry.index_collection(name) values ($1) on conflict (name) do nothing"};

#undef COLLECTION_COLUMNS

std::optional<LogCollection> collection_of(const db::PgRows& rows) {
    if (rows.empty()) return std::nullopt;
    const db::PgRow row(rows, 0);
    return LogCollection{.id = row.integer(0),
                         .sequence = row.integer(1),
                         .generation = row.integer(2),
                         .embedder = {.provider = std::string(row.text(3)),
                                      .model = std::string(row.text(4)),
                                      .dimensions = static_cast<int>(row.integer(6)),
                                      .version = std::string(row.text(5))}};
}

}  // namespace

Result<std::optional<LogCollection>> find_collection(db::PgConnection& connection, const std::string& name) {
    return collection_of(TRY(connection.run(lock_collection, db::PgValues(name))));
}

Result<LogCollection> ensure_collection(db::PgConnection& connection, const std::string& name) {
    // It may be dropped in between, again and again; nobody does that for long.
    for (int attempt = 0; attempt < 5; ++attempt) {
        if (auto found = TRY(find_collection(connection, name))) return *std::move(found);
        TRY(connection.run(add_statement, db::PgValues(name)));
    }
    return fail(ErrorCode::unavailable, fmt::format("the collection \"{}\" is being dropped", name));
}

Result<std::optional<LogCollection>> read_collection(db::PgConnection& connection, const std::string& name) {
    return collection_of(TRY(connection.run(find_statement, db::PgValues(name))));
}

Result<std::optional<LogCollection>> read_collection(db::PgConnection& connection, std::int64_t id) {
    return collection_of(TRY(connection.run(read_statement, db::PgValues(id))));
}

namespace {

namespace json = boost::json;

// What is read at once is in memory at once.
constexpr std::int64_t max_chunks = 4'000;

constexpr db::PgStatement pages_statement = {"index_page_read", R"sql(
select page, sequence, version, is_removed, chunks, generation,
       fetched_at, language, host, path, status, content_hash, id, url, title, description
from quarry.index_page where collection = $1 and sequence > $2 order by sequence limit $3
)sql"};

constexpr db::PgStatement chunks_statement = {"index_chunk_read", R"sql(
select page, begin_at, end_at, length, headings::text, text, terms, vector
from quarry.chunk where collection = $1 and page = any($2::bigint[]) order by page, number
)sql"};

std::unexpected<Error> damaged(std::int64_t page) {
    return fail(ErrorCode::corrupt,
                fmt::format("PostgreSQL has rows of page {} in quarry.chunk that cannot be read: index it "
                            "again (quarry reindex)",
                            page));
}

PageLabel label_of(const db::PgRow& row) {
    PageLabel label;
    label.fetched_at = Timestamp(std::chrono::milliseconds(row.integer(6)));
    label.language = row.text(7);
    label.host = row.text(8);
    label.path = row.text(9);
    label.status = static_cast<int>(row.integer(10));
    label.content_hash = static_cast<std::uint64_t>(row.integer(11));
    label.id = row.text(12);
    label.url = row.text(13);
    label.title = row.text(14);
    label.description = row.text(15);
    return label;
}

bool parse_headings(std::string_view text, std::vector<std::string>& headings) {
    boost::system::error_code error;
    const json::value value = json::parse(text, error);
    if (error || !value.is_array()) return false;
    for (const json::value& heading : value.get_array()) {
        if (!heading.is_string()) return false;
        headings.emplace_back(heading.get_string());
    }
    return true;
}

Result<text::TermBag> terms_of(std::string_view packed, std::int64_t length) {
    text::TermBag bag{.length = static_cast<std::uint32_t>(length),
                      .letters = std::make_shared<const std::string>(packed)};
    auto chunks = TRY(unpack_terms(*bag.letters));
    if (chunks.size() == 1) bag.counts = std::move(chunks.front());
    return bag;
}

Result<IndexedChunk> chunk_of(const db::PgRow& row) {
    IndexedChunk chunk;
    chunk.chunk.begin = static_cast<std::uint32_t>(row.integer(1));
    chunk.chunk.end = static_cast<std::uint32_t>(row.integer(2));
    chunk.chunk.text = row.text(5);
    auto terms = terms_of(row.text(6), row.integer(3));
    if (!terms || !parse_headings(row.text(4), chunk.chunk.headings)) return damaged(row.integer(0));
    chunk.terms = *std::move(terms);
    return chunk;
}

// Pages by their ids, and whether their vectors are of the embedder that the collection has now.
struct Wanted {
    IndexedPage* page = nullptr;
    bool with_vectors = false;
};
using WantedPages = std::unordered_map<std::int64_t, Wanted>;

Result<void> read_chunks(db::PgConnection& connection, std::int64_t collection, const WantedPages& pages) {
    if (pages.empty()) return {};
    db::PgIntegers ids;
    for (const auto& [id, wanted] : pages) ids.push_back(id);
    const auto rows = TRY(connection.run(chunks_statement, db::PgValues(collection, ids)));
    for (int at = 0; at < rows.size(); ++at) {
        const db::PgRow row(rows, at);
        const Wanted& wanted = pages.at(row.integer(0));
        IndexedChunk chunk = TRY(chunk_of(row));
        if (wanted.with_vectors) chunk.vector = unpack_vector(row.text(7));
        wanted.page->chunks.push_back(std::move(chunk));
    }
    return {};
}

}  // namespace

Result<IndexLog::Batch> read_pages(db::PgConnection& connection, const LogCollection& collection,
                                   std::int64_t after, int max_pages) {
    IndexLog::Batch batch{.is_known = true, .embedder = collection.embedder, .sequence = collection.sequence};
    const auto rows = TRY(connection.run(pages_statement, db::PgValues(collection.id, after, max_pages)));
    batch.pages.reserve(static_cast<std::size_t>(rows.size()));
    WantedPages wanted;
    std::int64_t chunks = 0;
    for (int at = 0; at < rows.size(); ++at) {
        const db::PgRow row(rows, at);
        chunks += row.integer(4);
        if (row.boolean(3)) {
            batch.removed.push_back({.page = PageId{row.integer(0)}, .version = row.integer(2)});
        } else {
            batch.pages.push_back(
                {.page = PageId{row.integer(0)}, .version = row.integer(2), .label = label_of(row)});
            wanted[row.integer(0)] = {.page = &batch.pages.back(),
                                      .with_vectors = row.integer(5) == collection.generation};
        }
        const bool is_full = at + 1 == max_pages || chunks >= max_chunks;
        if (!is_full) continue;
        batch.sequence = row.integer(1);
        break;
    }
    TRY(read_chunks(connection, collection.id, wanted));
    return batch;
}

namespace {

// A row that is newer stays as it is. In order of the pages, so that two transactions never wait for each
// other. Of a page that is known the sequence number stays as it is until it is stamped: changing it twice
// would cost the index twice.
constexpr db::PgStatement put_pages_statement = {"index_page_put", R"sql(
insert into quarry.index_page as old (collection, page, version, sequence, generation, is_removed, chunks,
        fetched_at, language, host, path, status, content_hash, id, url, title, description)
    select $1, page, version, 0, $2, is_removed <> 0, chunks,
           fetched_at, language, host, path, status, content_hash, id, url, title, description
    from unnest($3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::text[], $9::text[],
                $10::text[], $11::bigint[], $12::bigint[], $13::text[], $14::text[], $15::text[], $16::text[])
        as new(page, version, is_removed, chunks, fetched_at, language, host,
               path, status, content_hash, id, url, title, description)
    order by page
on conflict (collection, page) do update
    set version = excluded.version, generation = excluded.generation, is_removed = excluded.is_removed,
        chunks = excluded.chunks, fetched_at = excluded.fetched_at, language = excluded.language,
        host = excluded.host, path = excluded.path, status = excluded.status,
        content_hash = excluded.content_hash, id = excluded.id, url = excluded.url, title = excluded.title,
        description = excluded.description
    where old.version <= excluded.version
)sql"};

// From here on a page was accepted if it has our version: those that were not have a higher one.
constexpr db::PgStatement remove_chunks_statement = {"index_chunk_remove", R"sql(
delete from quarry.chunk
    using unnest($2::bigint[], $3::bigint[]) as new(page, version)
        join quarry.index_page as p on p.collection = $1 and p.page = new.page and p.version = new.version
    where chunk.collection = $1 and chunk.page = new.page
)sql"};

constexpr db::PgStatement put_chunks_statement = {"index_chunk_put", R"sql(
insert into quarry.chunk(collection, page, number, begin_at, end_at, length, headings, text, terms, vector)
    select $1, new.page, number, begin_at, end_at, length, headings::jsonb, text, terms, vector
    from unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
                $8::text[], $9::text[], $10::bytea[], $11::bytea[])
            as new(page, version, number, begin_at, end_at, length, headings, text, terms, vector)
        join quarry.index_page as p on p.collection = $1 and p.page = new.page and p.version = new.version
)sql"};

constexpr db::PgStatement stamp_statement = {"index_page_stamp", R"sql(
with accepted as materialized (
    select p.page, row_number() over (order by p.page) as turn
    from unnest($2::bigint[], $3::bigint[]) as new(page, version)
        join quarry.index_page as p on p.collection = $1 and p.page = new.page and p.version = new.version
), counted as (
    select count(*) as pages from accepted
), advanced as (
    update quarry.index_collection set sequence = sequence + (select pages from counted)
    where id = $1 returning sequence - (select pages from counted) as before
)
update quarry.index_page as p set sequence = before + turn
    from accepted, advanced where p.collection = $1 and p.page = accepted.page
)sql"};

constexpr db::PgStatement set_dimensions_statement = {
    "index_collection_dimensions",
    "update quarry.index_collection set dimensions = $2 where id = $1 and dimensions = 0"};

// The dimensions of the vectors among these; 0 if there are none.
Result<int> dimensions_of(const std::vector<LogPage>& pages, int known) {
    for (const LogPage& page : pages) {
        for (const IndexedChunk& chunk : page.page.chunks) {
            const int dimensions = static_cast<int>(chunk.vector.size());
            if (dimensions == 0) continue;
            if (known == 0) known = dimensions;
            if (dimensions != known) {
                return fail(ErrorCode::conflict,
                            fmt::format("a vector has {} dimensions, those of the collection have {}",
                                        dimensions, known));
            }
        }
    }
    return known;
}

// The first vector says how many dimensions a collection has, unless it was told. Of two writers that bring
// the first, one waits here for the other; should they then wait for each other's pages, PostgreSQL ends one
// of them, and it is tried again.
Result<void> agree_on_dimensions(db::PgConnection& connection, LogCollection& collection,
                                 const std::vector<LogPage>& pages) {
    const int known = collection.embedder.dimensions;
    const bool is_builtin = collection.embedder.provider == "builtin";
    const int found = TRY(dimensions_of(pages, is_builtin ? 0 : known));
    if (is_builtin && found > 0) {
        return fail(ErrorCode::conflict, "vectors of the builtin space are made where they are searched");
    }
    if (is_builtin || found == known) return {};
    const auto set = TRY(connection.run(set_dimensions_statement, db::PgValues(collection.id, found)));
    if (set.affected() > 0) return {};
    const auto now = TRY(read_collection(connection, collection.id));
    if (!now) return {};
    collection = *now;
    return agree_on_dimensions(connection, collection, pages);
}

struct PageColumns {
    db::PgIntegers page, version, is_removed, chunks, fetched_at, status, content_hash;
    db::PgTexts language, host, path, id, url, title, description;

    explicit PageColumns(const std::vector<LogPage>& pages) {
        for (const LogPage& row : pages) add(row);
    }

    void add(const LogPage& row) {
        const PageLabel& label = row.page.label;
        page.push_back(number(row.page.page));
        version.push_back(row.page.version);
        is_removed.push_back(row.is_removed ? 1 : 0);
        chunks.push_back(std::ssize(row.page.chunks));
        fetched_at.push_back(label.fetched_at.time_since_epoch().count());
        status.push_back(label.status);
        content_hash.push_back(static_cast<std::int64_t>(label.content_hash));
        language.push_back(label.language);
        host.push_back(label.host);
        path.push_back(label.path);
        id.push_back(label.id);
        url.push_back(label.url);
        title.push_back(label.title);
        description.push_back(label.description);
    }

    db::PgValues values(const LogCollection& collection) const {
        return db::PgValues(collection.id, collection.generation, page, version, is_removed, chunks,
                            fetched_at, language, host, path, status, content_hash, id, url, title,
                            description);
    }
};

// As JSON, so that people can read it. NUL is no character for PostgreSQL, not even an escaped one.
std::string headings_json(const std::vector<std::string>& headings) {
    boost::json::array array;
    for (const std::string& heading : headings) array.emplace_back(db::to_pg_text(heading));
    return boost::json::serialize(array);
}

struct ChunkColumns {
    db::PgIntegers page, version, number_of, begin, end, length;
    db::PgTexts headings, text;
    db::PgBlobs terms, vector;

    Result<void> add(const IndexedPage& from) {
        std::int64_t at = 0;
        for (const IndexedChunk& chunk : from.chunks) {
            page.push_back(number(from.page));
            version.push_back(from.version);
            number_of.push_back(at++);
            begin.push_back(chunk.chunk.begin);
            end.push_back(chunk.chunk.end);
            length.push_back(chunk.terms.length);
            headings.push_back(own_.emplace_back(headings_json(chunk.chunk.headings)));
            text.push_back(chunk.chunk.text);
            terms.values.push_back(own_.emplace_back(pack_terms({&chunk, 1})));
            const std::vector<float> unit = TRY(unit_vector(chunk.vector));
            auto& packed = vector.values.emplace_back();
            if (!unit.empty()) packed = own_.emplace_back(pack_vector(unit));
        }
        return {};
    }

    db::PgValues values(const LogCollection& collection) const {
        return db::PgValues(collection.id, page, version, number_of, begin, end, length, headings, text,
                            terms, vector);
    }

private:
    std::deque<std::string> own_;  // what the columns borrow
};

}  // namespace

std::vector<LogPage> newest_of(std::vector<LogPage> pages) {
    std::ranges::stable_sort(pages, [](const LogPage& a, const LogPage& b) {
        return std::pair(a.page.page, a.page.version) < std::pair(b.page.page, b.page.version);
    });
    std::vector<LogPage> newest;
    for (LogPage& page : pages) {
        if (!newest.empty() && newest.back().page.page == page.page.page) newest.pop_back();
        newest.push_back(std::move(page));
    }
    return newest;
}

Result<void> write_pages(db::PgConnection& connection, LogCollection collection,
                         const std::vector<LogPage>& pages) {
    if (pages.empty()) return {};
    TRY(agree_on_dimensions(connection, collection, pages));
    const PageColumns page_columns(pages);
    ChunkColumns chunks;
    for (const LogPage& page : pages) TRY(chunks.add(page.page));
    db::PgBatch batch(connection);
    const auto versions = [&] {
        return db::PgValues(collection.id, page_columns.page, page_columns.version);
    };
    batch.add(put_pages_statement, page_columns.values(collection));
    batch.add(remove_chunks_statement, versions());
    if (!chunks.page.empty()) batch.add(put_chunks_statement, chunks.values(collection));
    batch.add(stamp_statement, versions());
    TRY(batch.run());
    return {};
}

}  // namespace quarry::index
