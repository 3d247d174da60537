// What the writer does a little at a time beside the writing: parts become segments, small segments become
// larger ones, and rows that nothing refers to any more are removed. Such rows belong to segments that were
// merged or never finished, to spaces that were left, to collections that were removed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "db/sqlite.h"
#include "index/embedded/collection.h"
#include "index/embedded/merging.h"

namespace quarry::index {

// Garbage is removed a few rows at a time, so that no transaction is long.

// At start: what a former process left unfinished becomes garbage.
Result<void> abandon_unfinished(db::Connection& connection);

// Removes some garbage in a transaction of its own. False if there is no more.
Result<bool> collect_some_garbage(db::Connection& connection);

// Used by the writer alone.
class Upkeep {
public:
    Upkeep(db::Connection& connection, Collections& states, ViewLock& lock, std::size_t tail_chunks)
        : connection_(connection), collections_(states), lock_(lock), tail_chunks_(tail_chunks) {}

    // Follows a transaction that added so many chunks, and does the work that keeps pace with it.
    Result<void> keep_up(CollectionState& state, std::int64_t next_chunk, std::size_t chunks);
    // Does one step of all that is due. False if nothing is left to do.
    Result<bool> do_some(std::int64_t next_chunk);
    // The collection is about to be removed.
    void forget(const CollectionState& state);
    void expect_garbage() { may_have_rubbish_ = true; }

private:
    Result<void> merge_parts_of(CollectionState& state);
    Result<void> begin_due(std::int64_t next_chunk, std::int64_t tail_limit);
    Result<void> begin_flush(std::int64_t next_chunk, std::int64_t tail_limit);
    Result<void> begin_merge();
    Result<void> step(std::optional<Rewriting>& rewriting);
    bool is_behind() const;

    db::Connection& connection_;
    Collections& collections_;
    ViewLock& lock_;
    std::size_t tail_chunks_;
    std::optional<Rewriting> flush_, merge_;
    bool may_have_rubbish_ = true;
};

}  // namespace quarry::index
