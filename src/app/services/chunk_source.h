// The chunks of a page as the index has them, here or at a server.
#pragma once

#include <memory>

#include <boost/json/fwd.hpp>

#include "app/data_source.h"
#include "base/result.h"
#include "index/chunk_records.h"
#include "model/stored_page.h"

namespace quarry::app {

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
Result<std::unique_ptr<ChunkSource>> open_chunks(const Workplace& place);

}  // namespace quarry::app
