#include <algorithm>
#include <deque>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "db/postgres/pg_text.h"
#include "index/embedded/packed_vector.h"
#include "index/embedded/page_rows.h"
#include "index/postgres/log_rows.h"

namespace quarry::index {

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
