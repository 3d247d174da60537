// The outbox as the writer has it: the tables outbox and outbox_count, and the order in which changes are
// leased, kept in step. Every change of a row goes through here, so that the counts are right; they are
// written once per transaction.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "db/sqlite.h"
#include "model/ids.h"
#include "model/job.h"
#include "model/metrics.h"
#include "store/sqlite/queues.h"

namespace quarry::store {

// The tables outbox and outbox_count: changes of pages that the index is to follow, and how many there are.
// Every change of a row goes through here, so that the counts are right; they are written once per
// transaction.

struct ChangeRow {
    std::int64_t id = 0;
    PageId page{};
    std::optional<ContentId> content{};  // nothing: the page was removed
    std::int64_t version = 1;
    std::string collection{};
    std::int64_t group = 0;  // 0 for none
    JobState state = JobState::queued;
    int priority = 0;
    int attempts = 0, stalls = 0, snoozes = 0;
    std::optional<Timestamp> run_at{};
    std::string url{};
};

// How a change ended.
struct ChangeEnd {
    JobState state = JobState::completed;
    Timestamp finished_at{};
    std::optional<Token> token{};
    std::optional<std::string_view> error{};  // nothing: the last one stays
    const Timings* timings = nullptr;
};

class OutboxRows {
public:
    static Result<OutboxRows> create(db::Connection& connection);

    Result<void> insert(const ChangeRow& row, Timestamp now);
    Result<std::optional<ChangeRow>> find(std::int64_t id);
    // Takes a page's former change away, unless it is leased. Nothing if it was not there.
    Result<std::optional<ChangeRow>> supersede(std::int64_t id);
    // The change points at other words, which its page has by now.
    Result<void> renew(std::int64_t id, ContentId content, std::int64_t version);

    // `row` is as it was read, but for attempts, stalls and snoozes, which are written.
    Result<void> end(const ChangeRow& row, const ChangeEnd& end);
    // Back to the queue; with `run_at` it waits for its time. `error`: nothing leaves the last one;
    // `tried_at`, when the attempt ended, too.
    Result<void> requeue(const ChangeRow& row, std::optional<std::string_view> error,
                         std::optional<Timestamp> tried_at = std::nullopt);
    Result<void> set_state(const ChangeRow& row, JobState state);
    Result<void> set_priority(std::int64_t id, int priority);
    // Back to the queue as if it had never been tried.
    Result<void> restart(const ChangeRow& row);
    Result<void> forget(const ChangeRow& row);

    // True if the page has changed again since: another row stands for it.
    Result<bool> is_outdated(const ChangeRow& row);
    // The token of the lease that ended the change, if it has ended by one.
    Result<std::optional<std::int64_t>> ended_by(std::int64_t id);

    // Ready changes of a collection after a place, in order.
    Result<std::vector<UrlPlace>> ready_after(const std::string& collection, const UrlPlace& after,
                                              std::size_t limit);
    // Those whose time has come, and when the next one's will.
    Result<std::vector<ChangeRow>> due(Timestamp now, int limit);
    Result<std::optional<Timestamp>> next_due();
    // Ended so long ago, failed ones excepted.
    Result<std::vector<std::int64_t>> ended_before(Timestamp when, int limit);

    // The collections that have changes waiting.
    std::set<std::string> collections() const;
    Result<void> save_counts();
    Result<void> reload();

private:
    struct Statements {
        db::Statement insert, find, supersede, renew, end, requeue, set_state, set_priority, restart, forget,
            give_up, is_outdated, ended_by, ready_after, due, next_due, ended_before, counts, save_count,
            forget_count, note_operation;
    };
    struct Count {
        std::int64_t queued = 0, completed = 0, failed = 0, cancelled = 0, paused = 0;
        std::string last_error{};
        bool is_dirty = false;
    };
    using CountKey = std::pair<std::int64_t, std::string>;  // group, collection

    explicit OutboxRows(Statements statements) : sql_(std::move(statements)) {}

    Count& count_of(const ChangeRow& row);
    void count(const ChangeRow& row, JobState state, int change);
    void note_error(const ChangeRow& row, std::string_view error);

    Statements sql_;
    std::map<CountKey, Count> counts_;
    std::vector<CountKey> dirty_;
};

// The outbox as the writer has it: its rows, and the order in which they are leased, kept in step.

class Outbox {
public:
    static Result<std::unique_ptr<Outbox>> create(db::Connection& connection);

    OutboxRows rows;
    OutboxQueue queue;

    // Adds a change that waits from now on.
    Result<void> add(const ChangeRow& row, Timestamp now);
    // A queued change takes its place: in line, or among those that wait for their time.
    void put_in_line(const ChangeRow& row);
    // Lines up some of those whose time has come.
    Result<void> wake(Timestamp now);

    // Builds the memory from the rows.
    Result<void> load();

private:
    explicit Outbox(OutboxRows rows);
};

}  // namespace quarry::store
