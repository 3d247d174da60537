// What keeps leases alive, and what becomes of them otherwise. A lease has no clock of its own: it lives as
// long as its worker is heard of, so nothing needs to sweep; whoever asks for work next finds what the dead
// left.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "store/sqlite/ledger.h"

namespace quarry::store {

Answer<WorkerId> register_worker(Ledger& ledger, const std::string& name);
Answer<std::vector<JobId>> beat(Ledger& ledger, WorkerId worker, std::span<const Progress> progress);
Answer<void> release(Ledger& ledger, std::span<const LeaseRef> leases);
Answer<void> retire_worker(Ledger& ledger, WorkerId worker);

// Takes back what workers held who were not heard of for too long.
Result<void> bury_dead_workers(Ledger& ledger);

enum class Cause : std::uint8_t {
    worker_died,  // costs a stall if the handler had begun; too many of them, and the job fails
    released,     // costs nothing
};
// Ends a lease whose job or URL goes back to its line.
Result<void> take_back(Ledger& ledger, JobId id, Cause cause);

// Ends a lease because its job or URL is ended by somebody else. Its worker learns of it at its next beat.
Result<void> revoke(Ledger& ledger, JobId id);

}  // namespace quarry::store
