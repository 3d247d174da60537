// Removes what is older than promised, some rows at a time: what goes before its whole day does
// (partitions.h), and what is not kept by days.
#pragma once

#include "store/postgres/ledger.h"

namespace quarry::store::postgres {

struct SweepStep {
    Swept swept{};
    bool is_last = false;
};
Answer<SweepStep> sweep_some(Ledger& ledger, const Retention& retention);

// True when nothing of the group is left. `not_found`; `conflict` if it is not over.
Answer<bool> erase_some(Ledger& ledger, GroupId group);

}  // namespace quarry::store::postgres
