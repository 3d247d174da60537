// How jobs and groups come into the store.
#pragma once

#include <span>
#include <vector>

#include "store/postgres/ledger.h"

namespace quarry::store::postgres {

// What add_jobs needs to know of plain jobs, asked beforehand.
void ask_before_adding(db::PgBatch& batch, Process& process, std::span<const NewJob> jobs);
Answer<std::vector<Added>> add_jobs(Ledger& ledger, std::span<const NewJob> jobs);
Answer<GroupId> add_group(Ledger& ledger, const NewGroup& group, std::span<const NewJob> jobs,
                          std::span<const FoundUrl> seeds);

// Adds them whatever the limits are. A job whose unique key is taken is not added.
Result<std::vector<Added>> insert_jobs(Ledger& ledger, std::vector<NewJob> jobs);

}  // namespace quarry::store::postgres
