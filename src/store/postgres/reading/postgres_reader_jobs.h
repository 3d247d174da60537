// Jobs as they are in PostgreSQL, where several tables hold what people call a job: those that may run, wait,
// run and have ended, URLs of the frontier and changes in the outbox.
#pragma once

#include <vector>

#include "db/postgres/connection.h"
#include "store/reader.h"

namespace quarry::store::postgres {

// In order of their ids. URLs are among them if they are asked for by kind, by group or by id, changes in the
// outbox if by kind or by id: a list of everything would be a list of URLs. One statement, so one snapshot,
// which may be part of a transaction of the caller's. Ages are measured by the database's clock.
Result<std::vector<Job>> read_jobs(db::PgConnection& connection, const JobPage& page);

// By kind, collection and state. Without a kind, URLs and the outbox are counted too. Several statements: the
// caller's transaction makes them one snapshot.
Result<std::vector<StateCount>> read_job_counts(db::PgConnection& connection, const JobFilter& filter);

}  // namespace quarry::store::postgres
