// Owners and groups take turns, though a claim is a plain walk along an index: each job is given a number
// when it may run, which is what the claim goes by. A line of jobs (of one owner and group) gets one number
// after the other; a line that was empty begins where the others are, neither before nor behind them
// (start-time fair queueing).
//
// The numbers are kept in memory. The table `lane` has what others and the next process need of them.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/guarded.h"
#include "base/result.h"
#include "db/postgres/connection.h"

namespace quarry::store::postgres {

struct Lane {
    std::int64_t kind = 0, priority = 0, owner = 0, group = 0;
    friend auto operator<=>(const Lane&, const Lane&) = default;
};

class Turns {
public:
    // The first of `count` turns for jobs of the lane.
    Result<std::int64_t> take(db::PgConnection& connection, const Lane& lane, std::int64_t count);
    // Writes down the last turns of these, unless somebody else is doing so.
    void save(db::PgConnection& connection, const std::vector<Lane>& lanes);

private:
    using Line = std::pair<std::int64_t, std::int64_t>;  // kind, priority
    struct Head {
        std::int64_t turn = 0;
        std::chrono::steady_clock::time_point read_at{};
    };
    struct Last {
        std::int64_t turn = 0;
        bool is_saved = false;  // its row was seen
    };
    struct State {
        std::map<Lane, Last> last{};
        std::map<Line, Head> heads{};
    };
    struct Read {
        std::int64_t head = 0, last = 0;
    };
    static Result<Read> read(db::PgConnection& connection, const Lane& lane, std::int64_t head);

    Guarded<State> state_;
};

}  // namespace quarry::store::postgres
