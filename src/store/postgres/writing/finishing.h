// Makes outcomes true.
#pragma once

#include <span>
#include <vector>

#include "store/postgres/ledger.h"

namespace quarry::store::postgres {

Answer<std::vector<Verdict>> finish(Ledger& ledger, std::span<const Finished> finished);

// Whether an outcome does nothing but complete its job: many of those are one statement.
bool is_plain(const Outcome& outcome);
// Completes jobs, in one round trip and one transaction. Those it returns are done; of the others nothing is
// known: they may be of a group, or no jobs. `settings` is a statement to be done first.
struct PlainEnd {
    std::vector<std::int64_t> ids{};
    bool has_backlog = false;  // a place that was freed may be wanted
};
// Behind what is in the batch already.
Result<PlainEnd> finish_plain_jobs(db::PgBatch& batch, std::span<const Finished> finished);

}  // namespace quarry::store::postgres
