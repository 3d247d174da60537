// What stands beside the vectors. A chunk's point says all of its page, as the payload of a vector store does
// that others read too. A page's point says which of its chunks count: those of one generation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <boost/json/fwd.hpp>

#include "base/result.h"
#include "index/index.h"

namespace quarry::index {

// Which chunks of a page readers see. Generations only grow.
struct QdrantPage {
    PageId page{};
    std::int64_t version = 0;
    std::int64_t generation = 0;  // 0: never written
    int chunks = 0;
    bool is_removed = false;
    Timestamp written_at{};
};

// What is known of a collection as a whole.
struct QdrantCollectionFacts {
    EmbedderFacts embedder{};
    // Of all chunks ever written, replaced ones too: only their ratio matters.
    std::int64_t chunks = 0, length = 0;
};

struct QdrantChunkPlace {
    PageId page{};
    std::int64_t generation = 0;
    int index = 0;
};

// The fields that filters look at, with the kind of index Qdrant needs for each.
struct IndexedField {
    const char* name;
    const char* schema;
};
const std::vector<IndexedField>& indexed_fields();

boost::json::object chunk_payload(const IndexedPage& page, const QdrantChunkPlace& place);
boost::json::object page_payload(const QdrantPage& page, const std::string& url);
boost::json::object collection_payload(const QdrantCollectionFacts& facts);

// `corrupt` if a point is not what was written.
Result<FoundChunk> read_chunk(const boost::json::object& payload);
Result<QdrantChunkPlace> read_chunk_place(const boost::json::object& payload);
Result<QdrantPage> read_page(const boost::json::object& payload);
Result<QdrantCollectionFacts> read_collection(const boost::json::object& payload);

// "docs.example.com": itself, "example.com" and "com".
std::vector<std::string> host_suffixes(const std::string& host);
// "/guide/install": "/", "/guide", "/guide/" and itself. Of the deepest paths, the upper part.
std::vector<std::string> path_prefixes(const std::string& path);

}  // namespace quarry::index
