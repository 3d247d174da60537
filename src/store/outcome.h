// How work ends, as a value: what a handler wants to become true. Nothing is written while it works;
// Store::finish makes many outcomes true in one commit.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "model/frontier.h"
#include "model/group.h"
#include "model/job.h"
#include "model/metrics.h"
#include "model/stored_page.h"

namespace quarry::store {

struct Completed {
    std::string result{};  // of a job; a URL has its page instead
};
// An attempt that ended in an error. The job fails when its attempts are used up.
struct Retry {
    std::string error{};
    Timestamp not_before{};
    ErrorCode code = ErrorCode::unavailable;  // kept if it was the last attempt of a URL
};
struct Failed {
    std::string error{};
    ErrorCode code = ErrorCode::unavailable;
};
// Not ready: the same again later. Costs no attempt; so many in a row (StoreLimits), and it fails.
struct Snooze {
    Timestamp until{};
    std::string reason{};
};
// Only for URLs; a job or a change that says so has nothing to do, and completes.
struct Skipped {
    SkipReason reason = SkipReason::none;
    std::string note{};
};

// Looks at the pages that earlier crawls of the group's site stored and this one did not meet. Each has one
// more crawl without it; those with `after_misses` of them are removed, and counted in the group.
struct SettlePages {
    int after_misses = 2;
};

struct Outcome {
    using End = std::variant<Completed, Retry, Failed, Snooze, Skipped>;
    End end{};
    int status = 0;                  // HTTP, of a URL
    std::string final_url{};         // of a URL, if it is another one
    std::vector<PageWrite> pages{};  // each adds its outbox row, if its group indexes pages
    std::vector<FoundUrl> found{};   // admitted unless the group knows their key

    // A URL that the page says is its canonical one. If the group knows it, this outcome becomes
    // Skipped{canonical} and its page is not kept; else it is known from now on and never fetched.
    std::optional<UrlKey> canonical{};

    std::vector<NewJob> jobs{};
    std::vector<std::string> roots{};  // the group's scope is widened to these
    std::vector<HostRule> hosts{};
    std::vector<UrlKey> gone{};  // pages of the group's collection that the site has no more
    std::optional<SettlePages> settle{};

    // Where the time went: of a URL fetch and extract are kept, of a change the rest.
    Timings timings{};
};

// Proof of a lease, enough to end it.
struct LeaseRef {
    JobId id{};
    Token token{};
};

struct Finished {
    LeaseRef lease{};
    Outcome outcome{};
};

enum class Verdict : std::uint8_t {
    applied,
    already_applied,  // the same outcome was sent twice, as after a lost answer
    conflict,         // the lease has moved, or its group was cancelled: nothing was written
};

}  // namespace quarry::store
