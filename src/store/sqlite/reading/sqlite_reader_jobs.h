// Jobs as they are in quarry.db, where four tables hold what people call a job: open ones, ended ones, URLs
// of the frontier and changes in the outbox.
#pragma once

#include <vector>

#include "base/base_clock.h"
#include "base/result.h"
#include "db/sqlite.h"
#include "store/reader.h"

namespace quarry::store {

// In order of their ids. URLs are among them if they are asked for by kind, by group or by id, changes in the
// outbox if by kind or by id: a list of everything would be a list of URLs. `now` is what ages are measured
// from.
Result<std::vector<Job>> read_jobs(db::Connection& connection, const JobPage& page, Timestamp now);

// By kind, collection and state. Without a kind, URLs and the outbox are counted too.
Result<std::vector<StateCount>> read_job_counts(db::Connection& connection, const JobFilter& filter,
                                                Timestamp now);

}  // namespace quarry::store
