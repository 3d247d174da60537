// What time brings about: delayed work becomes ready, what has waited or run too long fails. Done whenever
// somebody asks for work, so that it needs no thread and no timer.
#pragma once

#include <optional>

#include "store/sqlite/ledger.h"

namespace quarry::store {

Result<void> do_what_is_due(Ledger& ledger);

// When there is something to do again.
std::optional<Timestamp> next_due(const Ledger& ledger);

// The earlier of two times, either of which may be missing.
std::optional<Timestamp> earlier(std::optional<Timestamp> left, std::optional<Timestamp> right);

}  // namespace quarry::store
