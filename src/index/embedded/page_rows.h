// The rows of pages, their texts, and the terms of those that are in no segment yet. Texts and headings of
// consecutive chunks are compressed together: neighbours share words and headings.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "db/sqlite.h"
#include "index/embedded/postings.h"
#include "index/index.h"
#include "model/document.h"

namespace quarry::index {

// Texts and headings of consecutive chunks, compressed together: neighbours share words and headings.

// Together they take half of the room that each by itself would; more would make reading one of them slow.
inline constexpr int chunks_together = 16;

Result<std::string> pack_passages(std::span<const Chunk* const> chunks);
// `corrupt` if the bytes are damaged.
Result<std::vector<Chunk>> unpack_passages(std::string_view bytes);

// The rows of pages, their texts, and the terms of those that are in no segment yet.

struct ChunkPlace {
    Slot slot = 0;
    std::uint32_t length = 0;
};

std::string pack_places(const std::vector<ChunkPlace>& places);
Result<std::vector<ChunkPlace>> unpack_places(std::string_view bytes);

// Where the chunks of a page are.
struct PagePlace {
    std::int64_t version = 0;
    bool is_removed = false;
    std::int64_t first_chunk = 0;
    std::vector<ChunkPlace> chunks{};
};

std::string pack_terms(std::span<const IndexedChunk> chunks);
// One list of terms per chunk, pointing into the bytes.
Result<std::vector<std::vector<text::TermCount>>> unpack_terms(std::string_view bytes);

// Within the writer's transaction.
class PageRows {
public:
    static Result<PageRows> open(db::Connection& connection);

    Result<std::optional<PagePlace>> find(std::int64_t collection, PageId page);
    // With its texts and terms; the former ones are gone already.
    Result<void> put(std::int64_t collection, const IndexedPage& page, const PagePlace& place);
    // Remembers the version alone.
    Result<void> put_removed(std::int64_t collection, const RemovedPage& page);
    // What the page's chunks have elsewhere.
    Result<void> remove_chunks(const PagePlace& place);

private:
    Result<void> put_passages(const IndexedPage& page, std::int64_t first_chunk);

    db::Statement find_, put_, put_passages_, put_pending_, remove_passages_, remove_pending_;
};

// A page's label in a statement's columns from `column` on, in the order of label_columns.
inline constexpr const char* label_columns =
    "fetched_at, language, host, path, status, content_hash, id, url, title, description";
PageLabel label_at(const db::Statement& row, int column);

}  // namespace quarry::index
