// Removes what is older than promised, a few hundred rows at a time: whoever adds or finishes meanwhile waits
// for one such step at most.
#pragma once

#include "store/sqlite/ledger.h"

namespace quarry::store {

struct SweepStep {
    Swept swept{};
    bool is_last = false;
};

// One small step from where the last one ended.
Answer<SweepStep> sweep_some(Ledger& ledger, const Retention& retention);

}  // namespace quarry::store
