// The daily partitions of ended jobs (`done`), requests (`request`) and operations of the index
// (`operation`). A partition is named after its day in UTC, for example done_20261117. A day that is no
// longer needed is dropped as a whole. Deleting its millions of rows would leave as many dead rows behind.
//
// Nothing depends on a partition being there. A row whose day has no partition goes to the default partition,
// done_other, and is deleted from there when its time is over. So a process that would have to wait for a
// lock, or would keep others waiting, gives up and tries again later. The leading process makes and drops
// partitions (upkeep.h). A lock keeps two processes that both believe they lead from doing so at once.
#pragma once

#include <chrono>

#include "base/guarded.h"
#include "store/postgres/transactor.h"

namespace quarry::store::postgres {

// Older rows need not be kept. A retention of a day or longer is rounded up to whole days, so that whole days
// can be dropped: rows are kept up to one day longer than was asked for.
Timestamp kept_since(Timestamp now, std::chrono::milliseconds retention);

class Partitions {
public:
    explicit Partitions(Transactor& transactor) : transactor_(transactor) {}

    // Makes the partitions of today and of the next two days if they are missing. Cheap if they are not. A
    // day that already has rows in the default partition gets no partition.
    void make_coming();
    // Drops the past days that hold nothing that must be kept: jobs with their payloads, and requests and
    // operations once they are summed up. The jobs of a group are kept as long as the group exists. A day
    // that cannot be dropped now stays: the sweep deletes its rows one by one, and the day is checked again
    // in a minute.
    Swept drop_past(const Retention& retention);

private:
    Transactor& transactor_;
    Guarded<Timestamp> next_making_, next_dropping_;
};

}  // namespace quarry::store::postgres
