// The outbox: changes of pages that the index is to follow, which of them may be indexed now, and how many
// there are. Every change of a row goes through here, so that the counts are right.
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
    std::optional<std::string_view> error{};  // nothing: the last one stays
    const Timings* timings = nullptr;
};

// The columns that change_of() reads, in its order.
#define CHANGE_COLUMNS                                                                                     \
    "o.id, o.page, o.content, o.version, o.collection, o.grp, o.state, o.priority, o.attempts, o.stalls, " \
    "o.snoozes, o.run_at, o.url"
ChangeRow change_of(const db::PgRow& row, int first = 0);

// Adds a change that waits from now on.
void insert_change(Ledger& ledger, const ChangeRow& row);
Result<std::optional<ChangeRow>> find_change(db::PgConnection& sql, std::int64_t id);
// As it is once whoever changes it at this moment has done so; nobody else changes it before the commit.
Result<std::optional<ChangeRow>> lock_change(db::PgConnection& sql, std::int64_t id);
Result<bool> is_leased(db::PgConnection& sql, std::int64_t id);
// Takes a page's former change away, unless it is leased. Nothing if it was not there.
Result<std::optional<ChangeRow>> supersede_change(Ledger& ledger, std::int64_t id);
// The change points at other words, which its page has by now.
Result<void> renew_change(db::PgConnection& sql, std::int64_t id, std::int64_t content, std::int64_t version);

// Leases that end here: taken out of their table.
Result<std::vector<LeasedChange>> take_change_leases(db::PgConnection& sql, const db::PgIntegers& ids,
                                                     const db::PgIntegers& tokens);
Result<std::vector<LeasedChange>> take_change_leases_of_worker(db::PgConnection& sql, std::int64_t worker);
Result<std::optional<ChangeLeaseRow>> take_change_lease(db::PgConnection& sql, std::int64_t id);

// `row` is as it was read, but for attempts, stalls and snoozes, which are written. It is in no line.
Result<void> end_change(Ledger& ledger, const ChangeRow& row, const ChangeEnd& end);
// Back to the queue; with `run_at` it waits for its time. `error`: nothing leaves the last one; `tried_at`,
// when the attempt ended, too.
Result<void> requeue_change(Ledger& ledger, const ChangeRow& row, std::optional<std::string_view> error,
                            std::optional<Timestamp> tried_at = std::nullopt);
// One that waits for its time takes its place in line. False if another process was faster: it may be leased,
// or done, by now.
Result<bool> hasten_change(Ledger& ledger, ChangeRow row);
Result<void> set_change_state(Ledger& ledger, ChangeRow row, JobState state);
Result<void> set_change_priority(Ledger& ledger, ChangeRow row, int priority);
// Back to the queue as if it had never been tried. False if it is not as the row says any more.
Result<bool> restart_change(Ledger& ledger, ChangeRow row);
Result<void> forget_change(Ledger& ledger, const ChangeRow& row);
Result<void> put_change_in_line(Ledger& ledger, const ChangeRow& row);

// True if the page has changed again since: another row stands for it.
Result<bool> is_outdated(db::PgConnection& sql, const ChangeRow& row);
// Lines up some of those whose time has come.
Result<void> wake_changes(Ledger& ledger);

}  // namespace quarry::store::postgres
