// What an outcome makes of a URL and of a change of a page: the rules, for every store that then writes its
// rows itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "store/outcome.h"

namespace quarry::store {

// Notes and errors are those of the outcome, which must live as long.
struct UrlFate {
    UrlState state = UrlState::completed;  // queued: once more
    int attempts = 0, snoozes = 0;
    std::optional<Timestamp> run_at{};       // of one that is queued; nothing: at once
    std::optional<std::string_view> note{};  // nothing: one that is queued keeps its last
    std::optional<ErrorCode> error{};        // of one that failed
    SkipReason skipped = SkipReason::none;
};

struct ChangeFate {
    JobState state = JobState::completed;  // queued: once more
    int attempts = 0, snoozes = 0;
    std::optional<Timestamp> run_at{};
    std::optional<std::string_view> error{};  // nothing: the last one stays
};

// What was before: how often it was tried, of how often it may be.
struct Tries {
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

UrlFate fate_of_url(const Outcome::End& end, const Tries& tries, Timestamp now);
ChangeFate fate_of_change(const Outcome::End& end, const Tries& tries, Timestamp now);

}  // namespace quarry::store
