#include "store/rules/transitions.h"

namespace quarry::store {

namespace {

std::optional<Timestamp> if_later(Timestamp when, Timestamp now) {
    return when > now ? std::optional(when) : std::nullopt;
}

std::optional<std::string_view> if_said(std::string_view words) {
    return words.empty() ? std::nullopt : std::optional(words);
}

struct OfUrl {
    const Tries& tries;
    Timestamp now;

    UrlFate operator()(const Completed&) const {
        return {.attempts = tries.attempts, .snoozes = tries.snoozes};
    }
    UrlFate operator()(const Retry& retry) const {
        const int attempts = tries.attempts + 1;
        if (attempts >= tries.most_attempts) return failed(retry.error, retry.code);
        return {.state = UrlState::queued,
                .attempts = attempts,
                .run_at = if_later(retry.not_before, now),
                .note = retry.error};
    }
    UrlFate operator()(const Failed& end) const { return failed(end.error, end.code); }
    UrlFate operator()(const Snooze& snooze) const {
        if (tries.snoozes >= tries.most_snoozes)
            return failed(if_said(snooze.reason).value_or(put_off_too_often), ErrorCode::unavailable);
        return {.state = UrlState::queued,
                .attempts = tries.attempts,
                .snoozes = tries.snoozes + 1,
                .run_at = if_later(snooze.until, now),
                .note = if_said(snooze.reason)};
    }
    UrlFate operator()(const Skipped& end) const {
        return {.state = UrlState::skipped,
                .attempts = tries.attempts,
                .snoozes = tries.snoozes,
                .note = end.note,
                .skipped = end.reason};
    }

private:
    UrlFate failed(std::string_view note, ErrorCode code) const {
        return {.state = UrlState::failed,
                .attempts = tries.attempts + 1,
                .snoozes = tries.snoozes,
                .note = note,
                .error = code};
    }
};

struct OfChange {
    const Tries& tries;
    Timestamp now;

    ChangeFate operator()(const Completed&) const { return done(); }
    ChangeFate operator()(const Skipped&) const { return done(); }
    ChangeFate operator()(const Failed& end) const { return failed(end.error); }
    ChangeFate operator()(const Retry& retry) const {
        const int attempts = tries.attempts + 1;
        if (attempts >= tries.most_attempts) return failed(retry.error);
        return {.state = JobState::queued,
                .attempts = attempts,
                .run_at = if_later(retry.not_before, now),
                .error = if_said(retry.error)};
    }
    ChangeFate operator()(const Snooze& snooze) const {
        if (tries.snoozes >= tries.most_snoozes)
            return failed(if_said(snooze.reason).value_or(put_off_too_often));
        return {.state = JobState::queued,
                .attempts = tries.attempts,
                .snoozes = tries.snoozes + 1,
                .run_at = if_later(snooze.until, now),
                .error = if_said(snooze.reason)};
    }

private:
    ChangeFate done() const { return {.attempts = tries.attempts, .snoozes = tries.snoozes}; }
    ChangeFate failed(std::string_view error) const {
        return {.state = JobState::failed,
                .attempts = tries.attempts + 1,
                .snoozes = tries.snoozes,
                .error = error};
    }
};

}  // namespace

UrlFate fate_of_url(const Outcome::End& end, const Tries& tries, Timestamp now) {
    return std::visit(OfUrl{tries, now}, end);
}

ChangeFate fate_of_change(const Outcome::End& end, const Tries& tries, Timestamp now) {
    return std::visit(OfChange{tries, now}, end);
}

namespace {

constexpr int http_not_found = 404;
constexpr int http_gone = 410;

}  // namespace

void count_url(GroupCounters& counters, UrlState state, int status, std::int64_t change) {
    switch (state) {
        case UrlState::queued: counters.queued += change; break;
        case UrlState::running: counters.running += change; break;
        case UrlState::completed: counters.completed += change; break;
        case UrlState::failed:
            counters.failed += change;
            if (status == http_not_found || status == http_gone) counters.gone += change;
            break;
        case UrlState::skipped: counters.skipped += change; break;
        case UrlState::cancelled: break;
    }
}

}  // namespace quarry::store
