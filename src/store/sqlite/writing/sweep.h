// Removes what is older than promised, a few hundred rows at a time: whoever adds or finishes meanwhile waits
// for one such step at most.
#pragma once

#include "store/sqlite/ledger.h"

namespace quarry::store {

struct SweepStep {
    Swept swept{};
    bool is_last = false;
    bool is_private = false;  // it removed what was not to be kept
};

// One small step from where the last one ended.
Answer<SweepStep> sweep_some(Ledger& ledger, const Retention& retention);

// One small step towards nothing being left of a group that is over; true at the last. Fails as Store::erase.
Answer<bool> erase_some(Ledger& ledger, GroupId group);

}  // namespace quarry::store
