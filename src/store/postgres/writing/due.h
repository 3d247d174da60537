// What becomes due by itself: delays that are over, jobs that waited or ran for too long, workers that died,
// schedules. Who leads does it (leadership.h); so does whoever asks for work, if it is not done in time.
#pragma once

#include <optional>

#include "store/postgres/ledger.h"

namespace quarry::store::postgres {

struct Due {
    bool now = false;                      // something is due
    std::optional<Timestamp> next{};       // when something will be
    bool has_backlog = false;              // jobs wait because their owners had no place
    std::optional<Timestamp> since{};      // what is due has been so
    std::optional<std::int64_t> leader{};  // the process that leads, if any does
};
// Cheap: looks at the heads of a few indexes.
void look_what_is_due(db::PgBatch& batch);
Due what_is_due(const db::PgRows& rows, const StoreLimits& limits, Timestamp now);

// Whoever asks for work is alive: what `worker` holds stays with it.
Answer<void> do_what_is_due(Ledger& ledger, WorkerId worker);
// The same for nobody in particular. Groups that may begin and were passed over do so.
Result<void> maintain(Ledger& ledger);

std::optional<Timestamp> earlier(std::optional<Timestamp> left, std::optional<Timestamp> right);

}  // namespace quarry::store::postgres
