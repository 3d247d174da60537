#include <unordered_map>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "index/embedded/packed_vector.h"
#include "index/embedded/page_rows.h"
#include "index/postgres/log_rows.h"

namespace quarry::index {

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

}  // namespace quarry::index
