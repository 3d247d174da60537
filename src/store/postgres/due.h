// What becomes due by itself: delays that are over, jobs that waited or ran for too long, workers that died,
// schedules. Whoever asks for work does it first.
#pragma once

#include <optional>

#include "store/postgres/ledger.h"

namespace quarry::store::postgres {

struct Due {
    bool now = false;                 // something is due
    std::optional<Timestamp> next{};  // when something will be
    bool knows_worker = true;         // that asked
    bool has_backlog = false;         // jobs wait because their owners had no place
};
// Cheap: looks at the heads of a few indexes.
Result<Due> look_what_is_due(db::PgConnection& sql, const StoreLimits& limits, WorkerId worker,
                             Timestamp now);

// Whoever asks for work is alive: what `worker` holds stays with it.
Answer<void> do_what_is_due(Ledger& ledger, WorkerId worker);

std::optional<Timestamp> earlier(std::optional<Timestamp> left, std::optional<Timestamp> right);

}  // namespace quarry::store::postgres
