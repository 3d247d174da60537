#include "index/embedded/page_rows.h"

#include <array>
#include <utility>

#include "base/printable.h"
#include "db/packed_text.h"
#include "index/embedded/postings.h"

namespace quarry::index {

namespace {

void put_chunk(std::string& bytes, const Chunk& chunk) {
    put_number(bytes, chunk.begin);
    put_number(bytes, chunk.end);
    put_number(bytes, chunk.headings.size());
    for (const std::string& heading : chunk.headings) put_text(bytes, heading);
    put_text(bytes, chunk.text);
}

Chunk read_chunk(ByteReader& reader) {
    Chunk chunk;
    chunk.begin = reader.small_number();
    chunk.end = reader.small_number();
    for (std::uint32_t left = reader.count(); left > 0; --left) chunk.headings.emplace_back(reader.text());
    chunk.text = reader.text();
    return chunk;
}

}  // namespace

Result<std::string> pack_passages(std::span<const Chunk* const> chunks) {
    thread_local std::string plain;
    plain.clear();
    put_number(plain, chunks.size());
    for (const Chunk* chunk : chunks) put_chunk(plain, *chunk);
    return db::pack_text(plain);
}

Result<std::vector<Chunk>> unpack_passages(std::string_view bytes) {
    const auto plain = db::unpack_text(bytes);
    if (!plain) return damaged("a stored text cannot be read");
    ByteReader reader(*plain);
    std::vector<Chunk> chunks;
    for (std::uint32_t left = reader.count(); left > 0; --left) chunks.push_back(read_chunk(reader));
    if (!reader.is_sound() || !reader.at_end()) return damaged("a stored text cannot be read");
    return chunks;
}

std::string pack_places(const std::vector<ChunkPlace>& places) {
    std::string bytes;
    for (const ChunkPlace& place : places) {
        put_number(bytes, place.slot);
        put_number(bytes, place.length);
    }
    return bytes;
}

Result<std::vector<ChunkPlace>> unpack_places(std::string_view bytes) {
    ByteReader reader(bytes);
    std::vector<ChunkPlace> places;
    while (!reader.at_end()) {
        ChunkPlace& place = places.emplace_back();
        place.slot = reader.small_number();
        place.length = reader.small_number();
        // A slot that is too large would take memory for all those below it.
        if (place.slot >= (Slot{1} << 30)) return damaged("a page's row cannot be read");
    }
    if (!reader.is_sound()) return damaged("a page's row cannot be read");
    return places;
}

std::string pack_terms(std::span<const IndexedChunk> chunks) {
    std::string bytes;
    put_number(bytes, chunks.size());
    for (const IndexedChunk& chunk : chunks) {
        put_number(bytes, chunk.terms.counts.size());
        for (const text::TermCount& counted : chunk.terms.counts) {
            put_text(bytes, counted.term);
            put_number(bytes, counted.count);
        }
    }
    return bytes;
}

Result<std::vector<std::vector<text::TermCount>>> unpack_terms(std::string_view bytes) {
    ByteReader reader(bytes);
    std::vector<std::vector<text::TermCount>> chunks(reader.count());
    for (auto& terms : chunks) {
        for (std::uint32_t left = reader.count(); left > 0; --left) {
            text::TermCount& counted = terms.emplace_back();
            counted.term = reader.text();
            counted.count = reader.small_number();
        }
    }
    if (!reader.is_sound() || !reader.at_end()) return damaged("a page's row cannot be read");
    return chunks;
}

Result<PageRows> PageRows::open(db::Connection& connection) {
    PageRows rows;
    rows.find_ = TRY(connection.prepare(
        "SELECT version, is_removed, first_chunk, chunks FROM page WHERE collection = ?1 AND page = ?2"));
    rows.put_ = TRY(connection.prepare(
        "INSERT OR REPLACE INTO page VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, "
        "?15, ?16)"));
    rows.put_passages_ = TRY(connection.prepare("INSERT INTO passages VALUES(?1, ?2)"));
    rows.put_pending_ = TRY(connection.prepare("INSERT INTO pending VALUES(?1, ?2, ?3, ?4)"));
    rows.remove_passages_ = TRY(connection.prepare("DELETE FROM passages WHERE id >= ?1 AND id < ?2"));
    rows.remove_pending_ = TRY(connection.prepare("DELETE FROM pending WHERE id = ?1"));
    return rows;
}

Result<std::optional<PagePlace>> PageRows::find(std::int64_t collection, PageId page) {
    find_.bind(collection, number(page));
    if (!TRY(find_.step())) {
        find_.reset();
        return std::nullopt;
    }
    PagePlace place{
        .version = find_.integer(0), .is_removed = find_.integer(1) != 0, .first_chunk = find_.integer(2)};
    place.chunks = TRY(unpack_places(find_.text(3)));
    find_.reset();
    return place;
}

Result<void> PageRows::put(std::int64_t collection, const IndexedPage& page, const PagePlace& place) {
    const PageLabel& label = page.label;
    const std::string places = pack_places(place.chunks);
    TRY(put_.bind(collection, number(page.page), page.version, 0, place.first_chunk, db::Blob{places},
                  label.fetched_at.time_since_epoch().count(), label.language, label.host, label.path,
                  label.status, static_cast<std::int64_t>(label.content_hash), label.id, label.url,
                  label.title, label.description)
            .run());
    if (page.chunks.empty()) return {};
    TRY(put_passages(page, place.first_chunk));
    const std::string terms = pack_terms(page.chunks);
    return put_pending_.bind(place.first_chunk, collection, number(page.page), db::Blob{terms}).run();
}

Result<void> PageRows::put_passages(const IndexedPage& page, std::int64_t first_chunk) {
    std::array<const Chunk*, chunks_together> together{};
    std::size_t count = 0;
    for (std::size_t at = 0; at < page.chunks.size(); ++at) {
        together[count++] = &page.chunks[at].chunk;
        if (count < together.size() && at + 1 < page.chunks.size()) continue;
        const std::string packed = TRY(pack_passages({together.data(), count}));
        const auto first = static_cast<std::int64_t>(at + 1 - count);
        TRY(put_passages_.bind(first_chunk + first, db::Blob{packed}).run());
        count = 0;
    }
    return {};
}

Result<void> PageRows::put_removed(std::int64_t collection, const RemovedPage& page) {
    return put_
        .bind(collection, number(page.page), page.version, 1, 0, db::Blob{}, 0, "", "", "", 0, 0, "", "", "",
              "")
        .run();
}

Result<void> PageRows::remove_chunks(const PagePlace& place) {
    if (place.chunks.empty()) return {};
    const auto count = static_cast<std::int64_t>(place.chunks.size());
    TRY(remove_passages_.bind(place.first_chunk, place.first_chunk + count).run());
    return remove_pending_.bind(place.first_chunk).run();
}

// Damage may leave bytes that are not UTF-8. SQLite does not notice, and an answer with them would be no
// JSON.
PageLabel label_at(const db::Statement& row, int column) {
    PageLabel label;
    label.fetched_at = Timestamp(std::chrono::milliseconds(row.integer(column)));
    label.language = as_utf8(row.text(column + 1));
    label.host = as_utf8(row.text(column + 2));
    label.path = as_utf8(row.text(column + 3));
    label.status = static_cast<int>(row.integer(column + 4));
    label.content_hash = static_cast<std::uint64_t>(row.integer(column + 5));
    label.id = as_utf8(row.text(column + 6));
    label.url = as_utf8(row.text(column + 7));
    label.title = as_utf8(row.text(column + 8));
    label.description = as_utf8(row.text(column + 9));
    return label;
}

}  // namespace quarry::index
