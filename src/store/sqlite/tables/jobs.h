// The tables kind, job, payload, done and lease: the SQL of the queue, one function per statement. Kinds of
// jobs are names that many rows share, so rows hold small numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.h"
#include "base/result.h"
#include "db/sqlite.h"
#include "model/job.h"
#include "store/sqlite/queues.h"

namespace quarry::store {

// Names that many rows share, as small numbers: kinds of jobs.

class NameTable {
public:
    static Result<NameTable> create(db::Connection& connection);

    Result<int> ensure(const std::string& name);
    // 0 if nobody has used it yet.
    int find(const std::string& name) const {
        const auto found = ids_.find(name);
        return found == ids_.end() ? 0 : found->second;
    }
    Result<void> reload();

private:
    struct Statements {
        db::Statement all, insert;
    };
    explicit NameTable(Statements statements) : sql_(std::move(statements)) {}

    Statements sql_;
    std::unordered_map<std::string, int> ids_;
};

// The tables job, payload, done and lease: the SQL of the queue, one function per statement.

// An open job as the writer needs it.
struct JobRow {
    std::int64_t id = 0;
    ReadyPlace place{};
    JobState state = JobState::queued;
    int attempts = 0;
    int max_attempts = 3;
    int stalls = 0;
    int snoozes = 0;
    std::optional<Timestamp> run_at{}, start_by{}, deadline{};
    Timestamp created_at{};
};

// How a job ended.
struct JobEnd {
    JobState state = JobState::completed;
    int attempts = 0;
    int stalls = 0;
    std::optional<Timestamp> started_at{};
    Timestamp finished_at{};
    std::optional<Token> token{};
    std::optional<std::string_view> error{};  // nothing: the last one stays
    std::optional<std::string_view> result{};
};

class JobRows {
public:
    static Result<JobRows> create(db::Connection& connection);

    Result<void> insert(std::int64_t id, const ReadyPlace& place, const NewJob& job, Timestamp now);
    Result<std::optional<JobRow>> find(std::int64_t id);
    // With its payload; what `use` is given is valid during the call.
    Result<bool> find(std::int64_t id,
                      const std::function<void(const JobRow&, std::string_view payload)>& use);
    Result<std::optional<std::int64_t>> find_unique(std::string_view key);
    Result<void> for_each_open(const std::function<void(const JobRow&)>& use);
    Result<void> for_each_of_group(std::int64_t group, const std::function<void(const JobRow&)>& use);

    // Back to the queue. `error`: nothing leaves the last one.
    Result<void> requeue(const JobRow& row, std::optional<std::string_view> error);
    Result<void> set_progress(std::int64_t id, int percent);
    Result<void> move_to_done(std::int64_t id, const JobEnd& end);
    // Opens an ended job again, as if it had never been tried. False if there is none, or if an open job has
    // its unique key by now.
    Result<bool> move_back(std::int64_t id);
    Result<void> set_state(std::int64_t id, JobState state);
    Result<void> set_priority(std::int64_t id, int priority);
    // For good, with its payload.
    Result<void> forget_open(std::int64_t id);
    Result<void> forget_done(std::int64_t id);
    // The token of the lease that ended the job, if it has ended by one.
    Result<std::optional<std::int64_t>> ended_by(std::int64_t id);

    Result<void> insert_lease(std::int64_t id, Token token, WorkerId worker, Timestamp now);
    Result<void> remove_lease(std::int64_t id);

private:
    struct Statements {
        db::Statement insert, insert_payload, find, find_with_payload, find_unique, open, of_group, requeue,
            progress, copy_to_done, remove, copy_back, remove_done, remove_payload, set_state, set_priority,
            ended_by, insert_lease, remove_lease;
    };
    JobRows(db::Connection& connection, Statements statements)
        : connection_(&connection), sql_(std::move(statements)) {}

    db::Connection* connection_;
    Statements sql_;
};

}  // namespace quarry::store
