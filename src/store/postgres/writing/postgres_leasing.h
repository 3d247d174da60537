// Claims: who gets which job, URL or change next.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "store/postgres/writing/leasing.h"
#include "store/postgres/ledger.h"

namespace quarry::store::postgres {

// One claim of whatever a worker demands. What is due by itself is done before (due.h).
class Leasing {
public:
    Leasing(Process& process, const Demand& demand) : process_(process), demand_(demand) {}

    enum class Begin : std::uint8_t {
        at_once,  // nothing is to be done first: jobs may be claimed in the round trip that begins
        later,
    };
    // What lease() wants to know, in the round trip that begins its transaction.
    void ask(db::PgBatch& batch, Begin begin);
    // `has_backlog`: jobs may wait for a place of their owner's.
    Answer<Leased> lease(Ledger& ledger, std::span<const db::PgRows> asked, bool has_backlog);

private:
    bool are_kinds_known() const;
    Result<void> claim_jobs(db::PgBatch& batch, Limits limits);
    Result<void> lease_jobs(Ledger& ledger, std::span<const db::PgRows> asked, Leased& leased);

    Process& process_;
    const Demand& demand_;
    std::vector<JobClaim> claims_;  // that were asked for
};

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
