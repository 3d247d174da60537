// What a look at what is due has shown, for a moment: a look is most of what a claim costs, and workers that
// are busy claim every few milliseconds.
#pragma once

#include <chrono>
#include <optional>

#include "base/guarded.h"
#include "store/postgres/writing/due.h"

namespace quarry::store::postgres {

class LastLook {
public:
    using Time = std::chrono::steady_clock::time_point;

    static constexpr std::chrono::milliseconds lives{50};

    // Nothing if one has to look: it was too long ago, or something is due. What others have delayed since is
    // not in it, so `next` is no later than when one has to look again.
    std::optional<Due> at(Timestamp now, Time steady_now = std::chrono::steady_clock::now()) const {
        return known_.with([&](const Known& known) -> std::optional<Due> {
            if (steady_now >= known.seen_at + lives || known.due.now) return std::nullopt;
            if (known.due.next && *known.due.next <= now) return std::nullopt;
            Due due = known.due;
            due.next = earlier(due.next, now + lives);
            return due;
        });
    }
    void set(const Due& due, Time steady_now = std::chrono::steady_clock::now()) {
        known_.with([&](Known& known) { known = {.due = due, .seen_at = steady_now}; });
    }

private:
    struct Known {
        Due due{};
        Time seen_at{};
    };
    Guarded<Known> known_;
};

}  // namespace quarry::store::postgres
