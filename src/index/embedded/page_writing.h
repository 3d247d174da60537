// What one transaction does to the pages of a collection: first the rows, and when these are durable, what is
// in memory.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/embedded/collection.h"
#include "index/embedded/page_rows.h"
#include "index/embedded/part.h"
#include "index/embedded/vectors.h"
#include "index/index.h"

namespace quarry::index {

struct WriterRows {
    PageRows pages;
    VectorRows vectors;
};

class PageWriting {
public:
    // `next_chunk` is the id that the next chunk gets.
    PageWriting(WriterRows& rows, CollectionState& state, std::int64_t next_chunk);
    // What was not committed is as if it had never been.
    ~PageWriting() { state_.supply.take_back(); }

    // Nothing happens if the page is here in a newer version.
    Result<void> replace(const IndexedPage& page);
    Result<void> remove(const RemovedPage& page);
    Result<void> finish();  // before the commit

    std::int64_t next_chunk() const { return next_chunk_; }
    // After the commit, what takes long first.
    void prepare_view();
    // While nobody looks.
    void change_view();

private:
    struct Change {
        PageId page{};
        bool is_removed = false;
        PageEntry entry{};
        std::string host{}, language{};
        std::vector<ChunkPlace> former{}, chunks{};
    };

    Result<bool> remove_former(PageId page, std::int64_t version, Change& change);
    Result<void> put_vectors(const IndexedPage& page, const PagePlace& place);

    WriterRows& rows_;
    CollectionState& state_;
    std::int64_t next_chunk_;
    std::deque<SpaceWriting> spaces_;
    std::vector<Change> changes_;
    PartBuilder postings_;
    std::shared_ptr<const Part> part_;
    std::shared_ptr<const Sources> sources_;
};

}  // namespace quarry::index
