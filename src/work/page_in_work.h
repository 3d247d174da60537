// A change of the outbox on its way into the index.
#pragma once

#include <memory>
#include <optional>

#include "base/result.h"
#include "index/index.h"
#include "model/timings.h"
#include "store/store.h"
#include "work/collection_embedders.h"

namespace quarry::work {

struct PageInWork {
    store::ChangeLease change{};
    index::IndexedPage page{};  // of a page that was removed: nothing
    CollectionEmbedders::Choice embedder{};
    int space = 0;  // the version its chunks were folded into
    Timings timings{};
    std::optional<Error> error{};  // why it waits or fails
};

using PageInWorkPtr = std::unique_ptr<PageInWork>;

// What becomes of a change that met this error. A service that is not there, or is not what it was, costs no
// attempt: its pages wait. Everything else may fail for good, and can be seen and retried.
store::Outcome outcome_of(const Error& error, const store::ChangeLease& change, Timestamp now);

}  // namespace quarry::work
