// In which order jobs are claimed, and where a claim begins: it is a plain walk along an index. Turns gives
// each job a number when it may run, so that owners and groups take turns (start-time fair queueing).
// Claims remembers where the last claim ended, since rows that were claimed stay in the index until they
// are vacuumed, and a walk from the first row would pass all of them. A walk over everything, now and then,
// finds what nobody told of.
#pragma once

#include <algorithm>
#include <chrono>
#include <compare>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/guarded.h"
#include "base/result.h"
#include "db/postgres/connection.h"

namespace quarry::store::postgres {

// Where claims of jobs begin. Rows that were claimed stay in the index until they are vacuumed, and when an
// old transaction of somebody's is open they cannot be: a claim that began at the first row would walk over
// all of them. So it begins where the last one ended, or where something was put in line since. What nobody
// told of is found by a walk over all, now and then: the longer that takes, the more seldom.

// In the order in which jobs are claimed.
struct Place {
    std::int64_t priority = std::numeric_limits<std::int32_t>::min();
    std::int64_t turn = std::numeric_limits<std::int64_t>::min();
    std::int64_t id = 0;
    friend auto operator<=>(const Place&, const Place&) = default;
};

// The first rows of jobs of one kind, by the two orders in which they are claimed.
struct Heads {
    Place next{};
    std::int64_t oldest = 0;

    void lower_to(const Heads& other) {
        next = std::min(next, other.next);
        oldest = std::min(oldest, other.oldest);
    }
};
// What of jobs was put in line, by kind; or something was, and nobody knows where.
struct PutInLine {
    std::map<std::int64_t, Heads> kinds{};
    bool is_anywhere = false;

    void add(std::int64_t kind, const Heads& heads) {
        kinds.try_emplace(kind, heads).first->second.lower_to(heads);
    }
    void add(const PutInLine& more) {
        for (const auto& [kind, heads] : more.kinds) add(kind, heads);
        is_anywhere = is_anywhere || more.is_anywhere;
    }
};

class Claims {
public:
    struct Begin {
        Heads heads{};
        std::uint64_t generation = 0;
        std::uint64_t count = 0;  // jobs of the kind claimed so far
        bool is_full = false;     // a walk over all
        std::chrono::steady_clock::time_point at = std::chrono::steady_clock::now();
    };

    Begin begin_of(std::int64_t kind) {
        return state_.with([&](State& state) {
            Kind& known = state.kinds[kind];
            Begin begin{.generation = known.generation, .count = known.count};
            begin.is_full = known.walk_at <= begin.at;
            if (begin.is_full) {
                known.walk_at = begin.at + shortest_pause;  // others need not do the same
            } else {
                begin.heads = known.heads;
            }
            return begin;
        });
    }
    // The claim ended at these places, after it had begun as `begin` says.
    void ended_at(std::int64_t kind, const Begin& begin, const Heads& heads) {
        const auto now = std::chrono::steady_clock::now();
        state_.with([&](State& state) {
            Kind& known = state.kinds[kind];
            if (begin.is_full) known.walk_at = now + std::max(shortest_pause, 50 * (now - begin.at));
            if (known.generation != begin.generation) return;  // something was put in line meanwhile
            if (begin.is_full) {
                known.heads = heads;
            } else {
                known.heads.next = std::max(known.heads.next, heads.next);
                known.heads.oldest = std::max(known.heads.oldest, heads.oldest);
            }
        });
    }
    void count(std::int64_t kind, std::uint64_t jobs) {
        state_.with([&](State& state) { state.kinds[kind].count += jobs; });
    }
    void has_come(const PutInLine& jobs) {
        state_.with([&](State& state) {
            for (const auto& [kind, lowered] : jobs.kinds) {
                Kind& known = state.kinds[kind];
                known.heads.lower_to(lowered);
                ++known.generation;
            }
            if (!jobs.is_anywhere) return;
            for (auto& [kind, known] : state.kinds) known.walk_at = {};
        });
    }

private:
    static constexpr std::chrono::steady_clock::duration shortest_pause = std::chrono::seconds(1);

    struct Kind {
        Heads heads{};
        std::uint64_t generation = 0;
        std::uint64_t count = 0;
        std::chrono::steady_clock::time_point walk_at{};  // the next one over all
    };
    struct State {
        std::map<std::int64_t, Kind> kinds{};
    };
    Guarded<State> state_;
};

// Owners and groups take turns, though a claim is a plain walk along an index: each job is given a number
// when it may run, which is what the claim goes by. A line of jobs (of one owner and group) gets one number
// after the other; a line that was empty begins where the others are, neither before nor behind them
// (start-time fair queueing).
//
// The numbers are kept in memory. The table `lane` has what others and the next process need of them.

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
