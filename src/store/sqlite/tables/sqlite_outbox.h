// The outbox as the writer has it: its rows, and the order in which they are leased, kept in step.
#pragma once

#include <memory>

#include "store/sqlite/queues.h"
#include "store/sqlite/tables/outbox.h"

namespace quarry::store {

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
