#include "store/sqlite/reading/sqlite_reader_outbox.h"

#include "store/rows/columns.h"
#include "store/sqlite/reading/query.h"

namespace quarry::store {

namespace {

struct Narrowed {
    const std::string& collection;
    std::optional<GroupId> group;

    Query operator()(Query query) const {
        if (!collection.empty()) query.add(" AND collection = ?", collection);
        if (group) query.add(" AND grp = ?", *group);
        return query;
    }
};

}  // namespace

// No statement here reads more rows than there are crawls, leases, or changes that wait for their time.
Result<OutboxCounts> read_outbox_counts(db::Connection& connection, const std::string& collection,
                                        std::optional<GroupId> group) {
    const Narrowed narrowed{collection, group};
    OutboxCounts counts;
    Query sums = narrowed(Query("SELECT queued, completed, failed, last_error FROM outbox_count WHERE true"));
    TRY(sums.each(connection, [&](const db::Statement& row) {
        counts.pending += row.integer(0);
        counts.completed += row.integer(1);
        counts.failed += row.integer(2);
        if (!row.text(3).empty()) counts.last_error = row.text(3);
    }));
    Query leased = narrowed(
        Query("SELECT count(*) FROM lease CROSS JOIN outbox ON outbox.id = lease.id WHERE outbox.state = 0"));
    TRY(leased.each(connection, [&](const db::Statement& row) { counts.processing = row.integer(0); }));
    counts.pending -= counts.processing;
    if (counts.pending == 0) return counts;
    Query delayed = narrowed(
        Query("SELECT run_at FROM outbox INDEXED BY outbox_delayed WHERE state = 0 AND run_at IS NOT NULL"));
    delayed.add(" ORDER BY run_at LIMIT 1");
    TRY(delayed.each(connection,
                     [&](const db::Statement& row) { counts.next_due = time_of(row.integer(0)); }));
    return counts;
}

}  // namespace quarry::store
