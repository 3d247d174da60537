// The tables of jobs, as the writer changes them: many rows with one statement.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "db/postgres/connection.h"
#include "model/job.h"

namespace quarry::store::postgres {

// An open job, wherever it is.
struct JobRow {
    std::int64_t id = 0;
    std::int64_t kind = 0;
    int priority = priority_normal;
    std::int64_t owner = 0;
    std::int64_t group = 0;  // 0 for none
    int attempts = 0;
    int max_attempts = 3;
    int stalls = 0;
    int snoozes = 0;
    bool zero_retention = false;
    Timestamp created_at{};
    std::optional<Timestamp> run_at{}, start_by{}, deadline{};
    std::optional<std::string> unique_key{}, last_error{};
    bool is_paused = false;

    // While it is leased.
    std::int64_t token = 0;
    std::int64_t worker = 0;
    bool has_begun = false;
    Timestamp leased_at{};
};

// Why a job may not run now.
enum class Parking : std::uint8_t { no = 0, time = 1, owner = 2, group = 3, paused = 4 };

// How a job ended.
struct JobEnd {
    JobRow row{};
    JobState state = JobState::completed;
    Timestamp finished_at{};
    std::optional<Timestamp> started_at{};
    std::optional<std::int64_t> token{};
    std::optional<std::string> result{};
};

// Job columns in the order in which they are read, as of a table or alias.
#define JOB_COLUMNS_OF(t)                                                                           \
    #t ".id, " #t ".kind, " #t ".priority, " #t ".owner, " #t ".grp, " #t ".attempts, " #t          \
       ".max_attempts, " #t ".stalls, " #t ".zero_retention, " #t ".created_at, " #t ".run_at, " #t \
       ".start_by, " #t ".deadline, " #t ".unique_key, " #t ".last_error, " #t ".snoozes"
inline constexpr int job_columns = 16;

JobRow job_row(const db::PgRow& row);
// With token, worker, has_begun, leased_at after the others.
JobRow leased_row(const db::PgRow& row);

using Rows = std::vector<JobRow>;

// Takes rows out of their table, for good or to put them elsewhere.
Result<Rows> take_leases(db::PgConnection& sql, const db::PgIntegers& ids);
Result<Rows> take_leases(db::PgConnection& sql, const db::PgIntegers& ids, const db::PgIntegers& tokens);
Result<Rows> take_leases_of_worker(db::PgConnection& sql, std::int64_t worker);
Result<Rows> take_leases_of_group(db::PgConnection& sql, std::int64_t group);
// Queued and paused ones.
Result<Rows> take_waiting(db::PgConnection& sql, const db::PgIntegers& ids);
Result<Rows> take_waiting_of_group(db::PgConnection& sql, std::int64_t group);
Result<Rows> take_ready_of_group(db::PgConnection& sql, std::int64_t group);
Result<Rows> take_parked(db::PgConnection& sql, std::int64_t group, Parking why);

void insert_ready(db::PgConnection& sql, std::span<const JobRow> rows,
                  const std::vector<std::int64_t>& turns);
void insert_parked(db::PgConnection& sql, std::span<const JobRow> rows,
                   const std::vector<std::int64_t>& reasons);
void insert_done(db::PgConnection& sql, std::span<const JobEnd> ends);

}  // namespace quarry::store::postgres
