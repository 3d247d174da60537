// Where claims of jobs begin. Rows that were claimed stay in the index until they are vacuumed, and when an
// old transaction of somebody's is open they cannot be: a claim that began at the first row would walk over
// all of them. So it begins where the last one ended, unless something may have come in before that.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <map>

#include "base/guarded.h"

namespace quarry::store::postgres {

// In the order in which jobs are claimed.
struct Place {
    std::int64_t priority = std::numeric_limits<std::int32_t>::min();
    std::int64_t turn = std::numeric_limits<std::int64_t>::min();
    std::int64_t id = 0;
};

class Claims {
public:
    struct Begin {
        Place place{};
        std::uint64_t generation = 0;
        std::uint64_t count = 0;  // jobs of the kind claimed so far
    };

    Begin begin_of(std::int64_t kind) {
        return state_.with([&](State& state) {
            const Kind& known = state.kinds[kind];
            const bool is_fresh = known.generation == state.generation &&
                                  std::chrono::steady_clock::now() - known.set_at < std::chrono::seconds(1);
            return Begin{is_fresh ? known.place : Place{}, state.generation, known.count};
        });
    }
    // The claim ended at this place, after it had begun as `begin` says.
    void ended_at(std::int64_t kind, const Begin& begin, const Place& place) {
        state_.with([&](State& state) {
            Kind& known = state.kinds[kind];
            const bool is_first = known.generation != begin.generation || begin.place.id == 0;
            if (is_first) known.set_at = std::chrono::steady_clock::now();
            known.place = place;
            known.generation = begin.generation;
        });
    }
    void count(std::int64_t kind, std::uint64_t jobs) {
        state_.with([&](State& state) { state.kinds[kind].count += jobs; });
    }
    // Something may be ready that comes before.
    void reset() {
        state_.with([](State& state) { ++state.generation; });
    }

private:
    struct Kind {
        Place place{};
        std::uint64_t generation = 0;
        std::uint64_t count = 0;
        std::chrono::steady_clock::time_point set_at{};
    };
    struct State {
        std::uint64_t generation = 1;
        std::map<std::int64_t, Kind> kinds{};
    };
    Guarded<State> state_;
};

}  // namespace quarry::store::postgres
