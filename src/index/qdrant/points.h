// How pages and chunks are points in Qdrant. A point's id is the beginning of the SHA-256 of what
// identifies it, so that writing a point again finds the old one. Its sparse vector holds the words of a
// chunk, weighed for BM25. Its payload says all of its page; a page's own point says which generation of
// chunks counts.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/fwd.hpp>

#include "base/result.h"
#include "index/index.h"
#include "model/ids.h"
#include "text/terms/terms.h"

namespace quarry::index {

// Names of points. Qdrant knows numbers and UUIDs only, and writing a point again must find the old one: so
// an id is the beginning of the SHA-256 of what identifies the point.

// "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"
std::string point_id(std::string_view identifier);

std::string chunk_point(const std::string& collection, PageId page, std::int64_t generation, int index);
std::string page_point(const std::string& collection, PageId page);
std::string collection_point(const std::string& collection);

// The collection's name in Qdrant: bytes that it or a URL might not take are written as ~hh.
std::string qdrant_name(std::string_view prefix, std::string_view collection);
// Back again; "" if Qdrant's collection is not one of ours.
std::string collection_of(std::string_view prefix, std::string_view qdrant_name);

// BM25 in a sparse vector. Qdrant multiplies by the idf of its collection when it is asked; what a chunk
// brings is the part of the formula that depends on the chunk alone, by the hash of each word.

std::uint32_t word_number(std::string_view term);

struct SparseVector {
    std::vector<std::uint32_t> indices{};  // each once, ascending
    std::vector<float> values{};
};

// `average_length` is the collection's as it was known when the chunk was written. It moves slowly, and a
// chunk keeps the value it was given: after a collection has doubled the error is a few percent of a score.
SparseVector sparse_of(const text::TermBag& terms, double average_length);
SparseVector sparse_of(std::span<const KeywordQuery::Word> words);

boost::json::object to_json(const SparseVector& vector);

// What stands beside the vectors. A chunk's point says all of its page, as the payload of a vector store does
// that others read too. A page's point says which of its chunks count: those of one generation.

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

// What is asked of a chunk beside its score, as Qdrant's filters say it.

// A path's prefix ends where one of its segments does: "/guide" and "/guide/" find "/guide/install", "/gui"
// does not.
boost::json::object to_qdrant(const Filter& filter);
boost::json::object to_qdrant(const Filter& filter, const KeywordQuery& query);

// The chunks of these pages that do not count: those of other generations, and those that a writer which
// broke off has left in this one.
boost::json::object uncounted_chunks(std::span<const QdrantPage> pages);

}  // namespace quarry::index
