// Rows of a queue come and go, and its indexes stay as large as they once were. The worker that leads
// rebuilds the indexes that are much larger than their rows need, once a day, while work goes on.
#pragma once

#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "store/postgres/transactor.h"
#include "store/postgres/upkeep.h"

namespace quarry::store::postgres {

class IndexUpkeep {
public:
    // `config` leads to the same database: a rebuild needs a connection of its own, and time.
    IndexUpkeep(Transactor& transactor, const Leadership& leadership, db::PgConfig config,
                Maintenance maintenance);

    // Rebuilds if this process leads, and if no rebuild was done within a day. Returns the names of the
    // indexes. An index whose rebuild is stopped, or fails, stays as it was, and is tried again the day
    // after.
    Result<std::vector<std::string>> rebuild(const std::stop_token& stop);

private:
    Result<bool> is_due();
    void run(const std::stop_token& stop);

    Transactor& transactor_;
    const Leadership& leadership_;
    const db::PgConfig config_;
    std::jthread thread_;
};

}  // namespace quarry::store::postgres
