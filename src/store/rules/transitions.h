// What an outcome makes of a URL and of a change of a page, and how a crawl counts its URLs. Pure rules,
// one set for every store; each store then writes its rows itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/frontier.h"
#include "model/group.h"
#include "store/outcome.h"

namespace quarry::store {

// What an outcome makes of a URL and of a change of a page: the rules, for every store that then writes its
// rows itself.

// Notes and errors are those of the outcome, which must live as long.
struct UrlTransition {
    UrlState state = UrlState::completed;  // queued: once more
    int attempts = 0, snoozes = 0;
    std::optional<Timestamp> run_at{};       // of one that is queued; nothing: at once
    std::optional<std::string_view> note{};  // nothing: one that is queued keeps its last
    std::optional<ErrorCode> error{};        // of one that failed
    SkipReason skipped = SkipReason::none;
};

struct ChangeTransition {
    JobState state = JobState::completed;  // queued: once more
    int attempts = 0, snoozes = 0;
    std::optional<Timestamp> run_at{};
    std::optional<std::string_view> error{};  // nothing: the last one stays
};

// What was before: how often it was tried, of how often it may be.
struct Attempts {
    int attempts = 0, snoozes = 0;
    int most_attempts = 1, most_snoozes = 1'000;
};

// Of a page that its server says is as it was, though nothing of it is stored.
inline constexpr std::string_view nothing_stored =
    "the server says that the page has not changed, but none is stored";

// Why something failed that was put off for the last time, if nobody said a reason.
inline constexpr std::string_view put_off_too_often = "put off too many times in a row";

// In the place of a page's last change: that was taken away before it was done, so the index has not what the
// page has now. A change that is not there any more was done otherwise.
inline constexpr std::int64_t given_up = 0;

UrlTransition next_url_state(const Outcome::End& end, const Attempts& used, Timestamp now);
ChangeTransition next_change_state(const Outcome::End& end, const Attempts& used, Timestamp now);

// How the URLs of a crawl are counted, by every store.

// What is said of a job, URL or change whose workers died once too often.
inline constexpr std::string_view worker_timed_out = "Worker timed out";

// Adds `change` to the counter of URLs in this state. `status` is what HTTP said: 404 and 410 are counted
// too.
void count_url(GroupCounters& counters, UrlState state, int status, std::int64_t change);

}  // namespace quarry::store
