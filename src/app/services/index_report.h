// What the index holds, for commands, here or at a server: collections with what the store and the index
// know of them, and the chunks of a page.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <boost/json/fwd.hpp>

#include "app/data_source.h"
#include "base/result.h"
#include "index/chunk_records.h"
#include "index/index.h"
#include "model/collection.h"
#include "model/stored_page.h"
#include "store/reader.h"

namespace quarry::app {

// Collections with all that is known about them, from the store and from the index.

struct CollectionReport {
    Collection collection{};
    index::IndexFacts indexed{};  // zeros if nothing is
    store::OutboxCounts outbox{};
};

// By name. None if there is no database yet.
Result<std::vector<CollectionReport>> report_collections(const DataSource& place);
// `not_found` with a sentence.
Result<CollectionReport> report_collection(const DataSource& place, const std::string& name);

// name, pages, chunks, vectors, embedder, model, dimensions, waiting, failed, last_error, created_at
boost::json::object to_json(const CollectionReport& report);

// What the owner's method `index_facts` answers: facts by the collection's name; and the way back.
Result<boost::json::value> index_facts(index::Index& index);

// The chunks of a page as the index has them, here or at a server.

class ChunkSource {
public:
    virtual ~ChunkSource() = default;
    // All of them, in order (index/chunk_records.h).
    Result<boost::json::array> chunks_of(const StoredPage& page, index::WithVectors with_vectors);

protected:
    // Up to `count` of them from `first` on: fewer only at the end.
    virtual Result<boost::json::array> read(const StoredPage& page, int first, int count,
                                            index::WithVectors with_vectors) = 0;
};

// `place` outlives it.
Result<std::unique_ptr<ChunkSource>> open_chunks(const DataSource& place);

}  // namespace quarry::app
