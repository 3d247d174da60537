// Rows of a queue come and go, and its indexes stay as large as they once were. Whoever leads rebuilds those
// that are much larger than their rows need, once a day, while work goes on.
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
    // `config` leads to the same database: rebuilding wants a connection of its own, and time.
    IndexUpkeep(Transactor& transactor, const Leadership& leadership, db::PgConfig config,
                Maintenance maintenance);

    // If this process leads, and it was not done within a day. Returns the names of the indexes. What is
    // stopped, or fails, is left as it was, and tried again the day after.
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
