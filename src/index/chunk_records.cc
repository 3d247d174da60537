#include "index/chunk_records.h"

#include <boost/json.hpp>

namespace quarry::index {
namespace {

namespace json = boost::json;

json::object record_of(const FoundChunk& found, const std::string& collection) {
    const std::vector<std::string>& headings = found.chunk.headings;
    return {{"id", found.label.id},           {"url", found.label.url},
            {"collection", collection},       {"title", found.label.title},
            {"chunk_index", found.ref.index}, {"headings", json::array(headings.begin(), headings.end())},
            {"chunk_text", found.chunk.text}};
}

}  // namespace

Result<json::array> chunk_records(Index& index, const std::string& collection,
                                  std::span<const ChunkRef> wanted, WithVectors with_vectors) {
    const auto chunks = TRY(index.read(collection, wanted));
    std::vector<ChunkRef> found;
    for (const FoundChunk& chunk : chunks) found.push_back(chunk.ref);
    std::vector<std::vector<float>> vectors;
    if (with_vectors == WithVectors::yes) vectors = TRY(index.vectors(collection, found));
    json::array records;
    for (std::size_t i = 0; i < chunks.size(); ++i) {
        json::object record = record_of(chunks[i], collection);
        if (with_vectors == WithVectors::yes) record["vector"] = json::value_from(vectors[i]);
        records.push_back(std::move(record));
    }
    return records;
}

}  // namespace quarry::index
