#include "store/rules/transitions.h"

#include <chrono>

#include <doctest/doctest.h>

using namespace quarry;
using namespace quarry::store;
using namespace std::chrono_literals;

namespace {

constexpr Timestamp now{1'000s};
constexpr Timestamp later = now + 5s;

// Put off four times; it may be tried three times.
constexpr Attempts second_try{.attempts = 1, .snoozes = 4, .most_attempts = 3};
constexpr Attempts put_off_enough{.snoozes = 9, .most_attempts = 3, .most_snoozes = 9};
constexpr Attempts last_try{.attempts = 2, .snoozes = 4, .most_attempts = 3};

}  // namespace

TEST_CASE("what an outcome makes of a URL") {
    struct Row {
        const char* what;
        Outcome::End end;
        Attempts attempts;
        UrlTransition transition;
    };
    using enum UrlState;
    const Row rows[] = {
        {"completed", Completed{}, second_try, {.state = completed, .attempts = 1}},
        {"an error",
         Retry{"no answer", later},
         second_try,
         {.state = queued, .attempts = 2, .run_at = later, .note = "no answer"}},
        {"an error, and no reason to wait",
         Retry{"no answer", now},
         second_try,
         {.state = queued, .attempts = 2, .note = "no answer"}},
        {"an error without words",
         Retry{"", later},
         second_try,
         {.state = queued, .attempts = 2, .run_at = later, .note = ""}},
        {"an error at the last try",
         Retry{"no answer", later, ErrorCode::timeout},
         last_try,
         {.state = failed, .attempts = 3, .note = "no answer", .error = ErrorCode::timeout}},
        {"an error for good",
         Failed{"gone", ErrorCode::not_found},
         second_try,
         {.state = failed, .attempts = 2, .note = "gone", .error = ErrorCode::not_found}},
        {"put off",
         Snooze{later, "the host is busy"},
         last_try,
         {.state = queued, .attempts = 2, .run_at = later, .note = "the host is busy"}},
        {"put off without words", Snooze{later}, last_try, {.state = queued, .attempts = 2, .run_at = later}},
        {"put off for the last time",
         Snooze{later, "the host is busy"},
         put_off_enough,
         {.state = failed, .attempts = 1, .note = "the host is busy", .error = ErrorCode::unavailable}},
        {"put off for the last time, without words",
         Snooze{later},
         put_off_enough,
         {.state = failed, .attempts = 1, .note = put_off_too_often, .error = ErrorCode::unavailable}},
        {"skipped",
         Skipped{SkipReason::canonical, "a copy"},
         second_try,
         {.state = skipped, .attempts = 1, .note = "a copy", .skipped = SkipReason::canonical}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        const UrlTransition transition = next_url_state(row.end, row.attempts, now);
        CHECK(transition.state == row.transition.state);
        CHECK(transition.attempts == row.transition.attempts);
        CHECK(transition.run_at == row.transition.run_at);
        CHECK(transition.note == row.transition.note);
        CHECK(transition.error == row.transition.error);
        CHECK(transition.skipped == row.transition.skipped);
    }
}

TEST_CASE("what an outcome makes of a change of a page") {
    struct Row {
        const char* what;
        Outcome::End end;
        Attempts attempts;
        ChangeTransition transition;
    };
    using enum JobState;
    const Row rows[] = {
        {"completed", Completed{}, second_try, {.state = completed, .attempts = 1, .snoozes = 4}},
        {"nothing to do", Skipped{}, second_try, {.state = completed, .attempts = 1, .snoozes = 4}},
        {"an error",
         Retry{"no answer", later},
         second_try,
         {.state = queued, .attempts = 2, .run_at = later, .error = "no answer"}},
        {"an error without words", Retry{"", now}, second_try, {.state = queued, .attempts = 2}},
        {"an error at the last try",
         Retry{"no answer", later},
         last_try,
         {.state = failed, .attempts = 3, .snoozes = 4, .error = "no answer"}},
        {"an error for good",
         Failed{"too large"},
         second_try,
         {.state = failed, .attempts = 2, .snoozes = 4, .error = "too large"}},
        {"put off",
         Snooze{later, "the service is away"},
         last_try,
         {.state = queued, .attempts = 2, .snoozes = 5, .run_at = later, .error = "the service is away"}},
        {"put off for the last time",
         Snooze{later, "the service is away"},
         put_off_enough,
         {.state = failed, .attempts = 1, .snoozes = 9, .error = "the service is away"}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        const ChangeTransition transition = next_change_state(row.end, row.attempts, now);
        CHECK(transition.state == row.transition.state);
        CHECK(transition.attempts == row.transition.attempts);
        CHECK(transition.snoozes == row.transition.snoozes);
        CHECK(transition.run_at == row.transition.run_at);
        CHECK(transition.error == row.transition.error);
    }
}
