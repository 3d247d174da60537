// What keeps leases alive, and what becomes of them otherwise. A lease has no clock of its own: it lives as
// long as its worker is heard of; whoever asks for work next finds what the dead left.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "store/postgres/tables/outbox.h"
#include "store/postgres/ledger.h"
#include "store/postgres/tables/urls.h"

namespace quarry::store::postgres {

Answer<WorkerId> register_worker(Ledger& ledger, const std::string& name);
Answer<std::vector<JobId>> beat(Ledger& ledger, WorkerId worker, std::span<const Progress> progress);
Answer<void> release(Ledger& ledger, std::span<const LeaseRef> leases);

// Writes down that the worker is alive, with the next statement.
void hear_of(Ledger& ledger, WorkerId worker);
// Takes back what workers held who were not heard of for too long.
Result<void> bury_dead_workers(Ledger& ledger);
// This worker ends: what it held goes back.
Answer<void> retire_worker(Ledger& ledger, WorkerId worker);

// Writes down which handlers have begun so long ago, as far as nobody has yet.
Result<void> save_begun(Ledger& ledger, std::chrono::milliseconds age);

// Ends a lease because what is leased is ended by somebody else. Its worker learns of it at its next beat.
Result<std::optional<JobRow>> revoke_job(Ledger& ledger, std::int64_t id);
Result<bool> revoke_url(Ledger& ledger, std::int64_t id);
Result<bool> revoke_change(Ledger& ledger, std::int64_t id);

}  // namespace quarry::store::postgres
