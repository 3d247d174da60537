// Days of what has ended (`done`), of what was asked for (`request`) and of what the index did (`operation`):
// each is a partition, named done_20261117 by the day in UTC. What nobody needs any more goes with its day at
// once, where deleting millions of rows would leave as many dead ones behind.
//
// Nothing depends on a day being there: a row that has none goes to the default partition, done_other, and is
// deleted from there when its time is over. So whoever would have to wait for a lock, or keep others waiting,
// gives up and tries again later. Whoever leads makes and drops them (leadership.h); a lock keeps two that
// believe to lead from doing it at once.
#pragma once

#include <chrono>

#include "base/guarded.h"
#include "store/postgres/transactor.h"

namespace quarry::store::postgres {

// What is older need not be kept. What is kept for a day or longer is kept for whole days, so that days can
// be dropped: up to one day longer than was asked for.
Timestamp kept_since(Timestamp now, std::chrono::milliseconds retention);

class Partitions {
public:
    explicit Partitions(Transactor& transactor) : transactor_(transactor) {}

    // Makes those of today and of the two days after it, if they are missing. Cheap if they are not. A day of
    // which rows are in the default partition already gets none.
    void make_coming();
    // Drops the days that are over and have nothing in them that must be kept: jobs with their payloads,
    // requests and operations once they are summed up. The jobs of a group are kept as long as it is there.
    // What cannot be dropped now is left: the sweep deletes it row by row, and the day is looked at again in
    // a minute.
    Swept drop_past(const Retention& retention);

private:
    Transactor& transactor_;
    Guarded<Timestamp> next_making_, next_dropping_;
};

}  // namespace quarry::store::postgres
