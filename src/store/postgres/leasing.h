// Claims: who gets which job, URL or change next.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "store/postgres/ledger.h"

namespace quarry::store::postgres {

// What is asked in the round trip that begins the transaction: first what is due (due.h), then for lease().
void ask_before_leasing(db::PgBatch& batch, const Demand& demand, const Process& process);
// What is due by itself is done already. `has_backlog`: jobs may wait for a place of their owner's.
Answer<Leased> lease(Ledger& ledger, const Demand& demand, std::span<const db::PgRows> asked,
                     bool has_backlog);

// What a transaction has claimed, for when its end is not known.
struct Claim {
    std::string transaction{};
    std::vector<LeaseRef> leases{};
};
Claim claim_of(const Ledger& ledger, const Leased& leased);

// Of the frontier. Sets next_due if hosts have asked for patience.
Result<void> lease_urls(Ledger& ledger, const Demand& demand, Leased& leased);
// Of the outbox.
Result<void> lease_changes(Ledger& ledger, const Demand& demand, Leased& leased);

}  // namespace quarry::store::postgres
