// A durable unit of work, and how it ends.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "model/ids.h"

namespace quarry {

// A retried or delayed job is `queued` with a later run_at.
enum class JobState : std::uint8_t { queued, running, completed, failed, cancelled, paused };

// Whether it will go on by itself: not over, and not paused.
constexpr bool goes_on(JobState state) {
    return state == JobState::queued || state == JobState::running;
}

constexpr bool is_over(JobState state) {
    return !goes_on(state) && state != JobState::paused;
}

std::string_view name_of(JobState state);
Result<JobState> parse_job_state(std::string_view name);
// Also by the words of embedding queues: pending, processing.
Result<JobState> parse_embedding_state(std::string_view name);

// The smaller number runs first.
inline constexpr int priority_high = 1;
inline constexpr int priority_normal = 2;
inline constexpr int priority_low = 3;

// "high", "normal", "low", or a number from 0 to 100.
Result<int> parse_priority(std::string_view text);

// Of the embedding queue, which has these three alone: by name, or as 1, 2 or 3.
Result<int> parse_embedding_priority(std::string_view text);
// The one of those three that comes nearest to a crawl's.
constexpr int embedding_priority(int priority) {
    return priority < priority_normal ? priority_high : priority > priority_normal ? priority_low : priority;
}

struct NewJob {
    std::string kind{};     // names the handler
    std::string payload{};  // JSON; all the handler needs, so that a job runs as it was asked for
    int priority = priority_normal;
    std::optional<Timestamp> run_at{};    // not before
    std::optional<Timestamp> start_by{};  // fails if it still waits then: the backlog's own time-out
    std::optional<Timestamp> deadline{};  // fails if it has not ended by then
    int max_attempts = 3;
    std::string unique_key{};  // while an open job has it, adding another returns that one; "" for none
    std::string owner = "local";
    std::optional<GroupId> group{};
    bool zero_retention = false;
};

struct Added {
    JobId id{};
    bool existed = false;  // an open job had the unique key
};

// What is known of a job. Payload and result are read only when asked for.
struct Job {
    JobId id{};
    std::string kind{};
    JobState state = JobState::queued;
    int priority = priority_normal;
    int attempts = 0;  // that ended in an error
    int max_attempts = 3;
    int stalls = 0;    // leases that ran out after the handler had begun
    int progress = 0;  // percent
    std::string owner{};
    std::optional<GroupId> group{};
    std::string unique_key{};
    std::string last_error{};
    std::optional<WorkerId> worker{};
    Timestamp created_at{};
    std::optional<Timestamp> run_at{}, started_at{}, finished_at{}, start_by{}, deadline{};
    std::optional<Timestamp>
        tried_at{};  // when the last attempt of a change of the outbox ended, if it waits
    std::string payload{}, result{};
    std::string url{};  // of a URL in the frontier, or of the page that an outbox row is about
};

}  // namespace quarry
