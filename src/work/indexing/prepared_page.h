// A change of the outbox on its way into the index.
#pragma once

#include <memory>
#include <optional>

#include "base/result.h"
#include "index/index.h"
#include "model/timings.h"
#include "store/store.h"
#include "work/indexing/collection_embedders.h"
#include "work/retry_delay.h"

namespace quarry::work {

struct PageInWork {
    store::ChangeLease change{};
    index::IndexedPage page{};  // of a page that was removed: nothing
    CollectionEmbedders::Choice embedder{};
    int space = 0;  // the version its chunks were folded into
    Timings timings{};
    std::optional<Error> error{};  // why it waits or fails
    bool waits_for_embedder = false;
};

using PageInWorkPtr = std::unique_ptr<PageInWork>;

// Whether a page that met this error waits: for a service that is not there, or is not what it was.
bool waits(ErrorCode code);

// What becomes of a change that met this error. Waiting costs no attempt. Everything else may fail for good,
// and can be seen and retried.
store::Outcome outcome_of(const Error& error, const store::ChangeLease& change, const Backoff& backoff,
                          Timestamp now);

}  // namespace quarry::work
