#include "work/indexing/prepared_page.h"

namespace quarry::work {

bool waits(ErrorCode code) {
    switch (code) {
        case ErrorCode::unavailable:
        case ErrorCode::refused:
        case ErrorCode::conflict:
        case ErrorCode::interrupted: return true;
        default: return false;
    }
}

store::Outcome outcome_of(const Error& error, const store::ChangeLease& change, const Backoff& backoff,
                          Timestamp now) {
    if (error.code == ErrorCode::interrupted) return {.end = store::Snooze{now, ""}};
    if (waits(error.code))
        return {.end = store::Snooze{next_attempt(backoff, change.snoozes + 1, now), error.message}};
    return {.end = store::Retry{error.message, next_attempt(backoff, change.attempt, now)}};
}

}  // namespace quarry::work
