// The outbox: the changes of pages that the index is to follow, which of them may be indexed now, and how
// many there are. Every write to a row goes through these functions, so that the counts are right.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/postgres/ledger.h"

namespace quarry::store::postgres {

struct ChangeRow {
    std::int64_t id = 0;
    std::int64_t page = 0;
    std::optional<std::int64_t> content{};  // nothing: the page was removed
    std::int64_t version = 1;
    std::string collection{};
    std::int64_t group = 0;  // 0 for none
    JobState state = JobState::queued;
    int priority = 0;
    int attempts = 0, stalls = 0, snoozes = 0;
    std::optional<Timestamp> run_at{};
    std::string url{};
};

struct ChangeLeaseRow {
    std::int64_t id = 0;
    std::int64_t token = 0;
    std::int64_t worker = 0;
    bool has_begun = false;
};

struct LeasedChange {
    ChangeLeaseRow lease{};
    ChangeRow row{};
};

// How a change ended.
struct ChangeEnd {
    JobState state = JobState::completed;
    std::optional<std::int64_t> token{};
    std::optional<std::string_view> error{};  // nothing: the last error stays
    const Timings* timings = nullptr;
};

// The columns that change_of() reads, in its order.
#define CHANGE_COLUMNS                                                                                     \
    "o.id, o.page, o.content, o.version, o.collection, o.grp, o.state, o.priority, o.attempts, o.stalls, " \
    "o.snoozes, o.run_at, o.url"
ChangeRow change_of(const db::PgRow& row, int first = 0);

// Adds a waiting change.
void insert_change(Ledger& ledger, const ChangeRow& row);
Result<std::optional<ChangeRow>> find_change(db::PgConnection& sql, std::int64_t id);
// Waits for a transaction that is writing the row, then reads and locks the row: no other transaction writes
// it before the commit.
Result<std::optional<ChangeRow>> lock_change(db::PgConnection& sql, std::int64_t id);
Result<bool> is_leased(db::PgConnection& sql, std::int64_t id);
// Removes a page's former change unless it is leased. Nothing if there is no such change.
Result<std::optional<ChangeRow>> supersede_change(Ledger& ledger, std::int64_t id);
// Points the change at the words that its page has now.
Result<void> renew_change(db::PgConnection& sql, std::int64_t id, std::int64_t content, std::int64_t version);

// These end leases: they take them out of their table.
Result<std::vector<LeasedChange>> take_change_leases(db::PgConnection& sql, const db::PgIntegers& ids,
                                                     const db::PgIntegers& tokens);
Result<std::vector<LeasedChange>> take_change_leases_of_worker(db::PgConnection& sql, std::int64_t worker);
Result<std::optional<ChangeLeaseRow>> take_change_lease(db::PgConnection& sql, std::int64_t id);

// Ends a change that is in no line. `row` is as it was read, except for attempts, stalls and snoozes, which
// are written.
Result<void> end_change(Ledger& ledger, const ChangeRow& row, const ChangeEnd& end);
// Puts a change back into the queue; with `run_at` it waits for that time. Without `error` the last error
// stays; without `tried_at`, which says when the attempt ended, the last time stays.
Result<void> requeue_change(Ledger& ledger, const ChangeRow& row, std::optional<std::string_view> error,
                            std::optional<Timestamp> tried_at = std::nullopt);
// Puts a change that waits for its time in line now. False if another process was faster: the change may
// already be leased or done.
Result<bool> hasten_change(Ledger& ledger, ChangeRow row);
Result<void> set_change_state(Ledger& ledger, ChangeRow row, JobState state);
Result<void> set_change_priority(Ledger& ledger, ChangeRow row, int priority);
// Puts a change back into the queue as if it had never been tried. False if it is no longer as `row` says.
Result<bool> restart_change(Ledger& ledger, ChangeRow row);
Result<void> forget_change(Ledger& ledger, const ChangeRow& row);
Result<void> put_change_in_line(Ledger& ledger, const ChangeRow& row);

// True if the page has changed again since, so that a newer row stands for it.
Result<bool> is_outdated(db::PgConnection& sql, const ChangeRow& row);
// Puts some of the changes whose time has come in line.
Result<void> wake_changes(Ledger& ledger);

}  // namespace quarry::store::postgres
